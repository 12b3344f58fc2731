import { z } from 'zod'
import { resource } from '../kit/body.ts'

export const Description = z
  .string()
  .trim()
  .min(1)
  .max(100)
  .regex(/^\P{C}*$/u, 'must not have control characters')

const Time = z.iso.datetime({ offset: true }).transform((text) => Date.parse(text))

/** go-tfe sends agent tokens under another type, and tokens without options without a body. */
const TYPES = ['authentication-tokens', 'authentication-token', 'agent-tokens']
const attributes = { description: Description.nullish(), 'expired-at': Time.nullish() }

export const tokenBody = { ...resource(TYPES, { attributes }), isRequired: false } as const
export const namedTokenBody = resource(TYPES, { attributes: { ...attributes, description: Description } })
