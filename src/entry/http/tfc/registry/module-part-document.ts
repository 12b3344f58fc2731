import type { ModulePart } from '../../../../registry/index.ts'

/** What registries say of one folder of a module. https://developer.hashicorp.com/terraform/registry/api-docs */
export function partDocument(part: ModulePart, name = part.path.split('/').at(-1) ?? '') {
  const { path, readme, inputs, outputs, resources, dependencies, providers } = part
  return {
    path,
    name,
    readme,
    empty: readme === '' && inputs.length + outputs.length + resources.length + dependencies.length === 0,
    inputs: inputs.map((input) => ({
      name: input.name,
      type: input.type,
      description: input.description,
      default: input.default ?? '',
      required: input.default === null,
    })),
    outputs: outputs.map((output) => ({ name: output.name, description: output.description })),
    dependencies: dependencies.map(namedSource),
    provider_dependencies: providers.map((needed) => ({
      ...namedSource(needed),
      namespace: needed.source.split('/').at(-2) ?? '',
    })),
    // Registries list what a module manages, and not what it reads.
    resources: resources
      .filter(({ mode }) => mode === 'managed')
      .map((resource) => ({ name: resource.name, type: resource.type })),
  }
}

/** Without what a newer server may have added. */
function namedSource({ name, source, version }: ModulePart['providers'][0]) {
  return { name, source, version }
}
