import { type OrgAccess, type SignInServices, type Workloads, createWorkloads } from '../access/index.ts'
import { systemClock } from '../base/clock.ts'

/** Lets jobs in by the rules of the organizations. What verifies their tokens is loaded with the first one. */
export function openWorkloads(
  { tokens }: Pick<SignInServices, 'tokens'>,
  orgs: Pick<OrgAccess, 'fresh'>,
  publicUrl: string,
): Workloads {
  const load = async () => (await import('../access/workload/adapters/verify-id-tokens.ts')).createIdTokens()
  let idTokens: ReturnType<typeof load> | undefined
  return createWorkloads({
    clock: systemClock,
    tokens,
    idTokens: { verify: async (token, issuer) => (await (idTokens ??= load())).verify(token, issuer) },
    rules: async (org) => (await orgs.fresh(org)).workloads,
    publicUrl,
  })
}
