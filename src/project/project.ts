/** One edge as `taco.yaml` declares it: this unit uses outputs of `on`. */
export interface ProjectDependency {
  readonly on: string
  /** Null means every output. */
  readonly outputs: readonly string[] | null
  /** Which variable of this unit takes which output of `on`. */
  readonly inputs: Readonly<Record<string, string>>
}

export interface ProjectUnit {
  readonly name: string
  /** The folder of the root module, relative to the project's root, with forward slashes. */
  readonly dir: string
  /** `tofu`, `terraform`, or the path of a program that behaves like them. */
  readonly engine?: string
  readonly dependencies: readonly ProjectDependency[]
  /** Relative to `dir`. */
  readonly varFiles: readonly string[]
  readonly variables: Readonly<Record<string, unknown>>
  readonly labels: Readonly<Record<string, string>>
}

/** The content of a `taco.yaml`: the units of one repository, their folders and what they use. */
export interface Project {
  readonly org?: string
  /** The folder that holds `taco.yaml`. */
  readonly root: string
  readonly units: readonly ProjectUnit[]
}
