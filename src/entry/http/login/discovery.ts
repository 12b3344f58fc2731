import { z } from 'zod'
import { TERRAFORM_PORTS } from '../../../access/index.ts'
import { jsonAnswer } from '../openapi/api.ts'
import { type LoginServices, open, route } from './define.ts'

/**
 * What engines ask for first. They take `application/json` and nothing else, and resolve addresses against this one.
 * People may have stored a token that is not valid any more: engines send it here too, so it must not matter.
 */
export const discoveryRoutes = [
  route({
    ...open,
    method: 'GET',
    path: '/.well-known/terraform.json',
    id: 'discoverServices',
    summary: 'The services of this host, for Terraform, OpenTofu and `taco login`',
    answers: { 200: jsonAnswer(z.record(z.string(), z.unknown()), 'By service id') },
    handle: (_, services) => ({ status: 200, json: discoveryOf(services) }),
  }),
]

function discoveryOf({ auth, publicUrl, oauth, offers }: LoginServices): Record<string, unknown> {
  const login = {
    client: 'terraform-cli',
    grant_types: ['authz_code'],
    // A page, so it is where browsers have their session.
    authz: `${publicUrl ?? ''}/oauth/authorization`,
    token: '/oauth/token',
    ports: [...TERRAFORM_PORTS],
  }
  return {
    ...(oauth === undefined ? {} : { 'login.v1': login }),
    ...offers,
    // Ignored by engines.
    'taco.v1': { auth, ...(publicUrl === undefined ? {} : { url: publicUrl }) },
  }
}
