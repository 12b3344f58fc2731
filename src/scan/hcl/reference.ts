/** A value that only a state knows, so that code which passes it on can be followed: `dependency.vpc.outputs.id`. */
export class OutputReference {
  readonly source: string
  /** `['outputs', 'id']` */
  readonly path: readonly string[]

  constructor(source: string, path: readonly string[] = []) {
    this.source = source
    this.path = path
  }

  get(name: string): OutputReference {
    return new OutputReference(this.source, [...this.path, name])
  }

  /** The output that this is, whole and unchanged; undefined: a part of one, or more than one. */
  get output(): string | undefined {
    const [first, name, ...rest] = this.path
    return first === 'outputs' && rest.length === 0 ? name : undefined
  }
}
