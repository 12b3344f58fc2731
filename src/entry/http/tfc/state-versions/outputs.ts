import { z } from 'zod'
import type { OutputView, OutputsCommitView, UnitRef } from '../../../../state/index.ts'
import { partsOf } from '../ids.ts'
import { type TfcServices, WorkspaceParams, documented, ofWorkspace, route } from '../kit/define.ts'
import { notFound } from '../kit/errors.ts'
import { type ResourceObject, document } from '../kit/json-api.ts'
import { listed, paged, paging } from '../kit/paging.ts'
import { consumerOf } from './consumer.ts'
import { outputId, outputParts, viewOutput } from './output-view.ts'
import { outputsOf } from './read-outputs.ts'
import { ofVersion } from './read.ts'

const tags = ['terraform cloud']
const systemReader = { principal: { kind: 'system', name: 'graph' } } as const

function viewAll({ unit, version, outputs }: OutputsCommitView, agent: string): readonly ResourceObject[] {
  // Nothing is known of an encrypted state. A tofu that finds an output without a type reads the state itself.
  if (outputs === null) return agent.startsWith('OpenTofu/') ? [untyped(unit.id, version)] : []
  return outputs.map((output) => viewOutput(outputId(unit, version, output.name), output))
}

function untyped(unit: string, version: string): ResourceObject {
  const name = 'encrypted'
  return {
    id: outputId({ id: unit }, version, name),
    type: 'state-version-outputs',
    attributes: { name, sensitive: false, type: 'string', value: null },
  }
}

/** The output that an id leads to, and whether its value is only for those who may read sensitive ones. */
async function ofOutput(
  { params }: { readonly params: { readonly output: string } },
  { locator, control }: Pick<TfcServices, 'locator' | 'control'>,
): Promise<UnitRef & { readonly start: string; readonly output: OutputView }> {
  const parts = partsOf('wsout', params.output)
  if (parts === undefined) throw notFound()
  const ref = await locator.workspace(parts.unit)
  const { start, isOf } = outputParts(parts.own)
  const { outputs } = await control.outputs.get(ref, { version: start, sensitive: false }, systemReader)
  const output = outputs?.find(({ name }) => isOf(name))
  if (output === undefined) throw notFound()
  return { ...ref, start, output }
}

export const outputRoutes = [
  route({
    method: 'GET',
    path: '/api/v2/workspaces/{workspace}/current-state-version-outputs',
    id: 'tfcListCurrentOutputs',
    action: 'outputs:read',
    takesRunTokens: true,
    isSecret: true,
    tags,
    summary: 'List the current outputs',
    params: WorkspaceParams,
    target: ofWorkspace,
    answers: { 200: documented('The outputs') },
    async handle({ target, headers, caller }, services) {
      const commit = await outputsOf(services, target, undefined, caller)
      const data = commit === undefined ? [] : viewAll(commit, headers['user-agent'] ?? '')
      return { status: 200, ...document(data) }
    },
  }),
  route({
    method: 'GET',
    path: '/api/v2/state-versions/{version}/outputs',
    id: 'tfcListOutputs',
    action: 'outputs:read',
    takesRunTokens: true,
    isSecret: true,
    tags,
    summary: 'List the outputs of a state version',
    params: z.object({ version: z.string() }),
    query: z.object(paging),
    target: ofVersion,
    answers: { 200: documented('The outputs') },
    async handle({ target, query, headers, caller, x }, services) {
      const commit = await outputsOf(services, target, target.start, caller)
      const all = commit === undefined ? [] : viewAll(commit, headers['user-agent'] ?? '')
      return { status: 200, ...listed(paged(all, query, x)) }
    },
  }),
  route({
    method: 'GET',
    path: '/api/v2/state-version-outputs/{output}',
    id: 'tfcShowOutput',
    action: 'outputs:read',
    takesRunTokens: true,
    isSecret: true,
    tags,
    summary: 'Show an output, with its value even if it is sensitive',
    params: z.object({ output: z.string() }),
    target: ofOutput,
    also: ({ target: { org, unit, output } }) =>
      output.sensitive ? [{ action: 'outputs:read-sensitive', resource: { org, unit } }] : [],
    answers: { 200: documented('The output') },
    async handle({ target: { start, output, ...ref }, params, caller }, { control }) {
      const names = [output.name]
      const options = { version: start, names, sensitive: output.sensitive, ...consumerOf(caller, ref) }
      const { outputs } = await control.outputs.get(ref, options, caller)
      const data = viewOutput(params.output, outputs?.[0] ?? output)
      return { status: 200, ...document(data) }
    },
  }),
]
