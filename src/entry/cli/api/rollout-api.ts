import type { RolloutApi } from '../../../runner/index.ts'
import { isAway } from '../terminal/exit-codes.ts'
import { check } from './check-answer.ts'
import { type Client, unitPath } from './client.ts'
import { variablesOf } from './variable-answers.ts'
import { claimsAnswer, lostAnswer, startAnswer } from './rollout-answers.ts'

/** What a worker calls, over the HTTP API. */
export function rolloutApi(client: Client, id: string): RolloutApi {
  const post = (path: string, json: unknown) => client.json('POST', path, { json })
  return {
    claim: async (options) => check(claimsAnswer, await post(`${rolloutPath(id)}/claims`, options)),
    renew: async (claims) => check(lostAnswer, await post(`${rolloutPath(id)}/renew`, claims)).lost,
    begin: async (unit, options) => check(startAnswer, await post(stepPath(id, unit, 'begin'), options)),
    end: async (unit, options) => check(claimsAnswer, await post(stepPath(id, unit, 'end'), options)),
    variables: (unit) => variablesOf(client, unit),
    isAway,
  }
}

export function rolloutPath(id: string): string {
  return `/v1/rollouts/${encodeURIComponent(id)}`
}

export function stepPath(rollout: string, unit: string, what: string): string {
  return `${rolloutPath(rollout)}/steps/${unitPath(unit).split('/').at(-1) ?? ''}/${what}`
}
