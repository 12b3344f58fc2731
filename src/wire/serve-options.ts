import { z } from 'zod'
import { LOG_LEVELS } from '../base/log-sink.ts'

export const ServeOptions = z.object({
  bucket: z.string().min(1),
  listen: z.string().default('127.0.0.1:8226'),
  auth: z.enum(['none', 'token']).default('token'),
  /** Short ones can be guessed, and this one opens everything. */
  rootToken: z.string().min(16, 'use at least 16 characters').optional(),
  /** Allows `none` beyond loopback. */
  insecure: z.boolean().default(false),
  metricsOpen: z.boolean().default(false),
  maxStateBytes: z.number().int().min(1).optional(),
  logLevel: z.enum(LOG_LEVELS).default('info'),
  logFormat: z.enum(['json', 'text']).optional(),
  /** How often every unit is looked at. */
  lookEveryMs: z.number().int().min(1000).default(300_000),
  /** How often retention is carried out, when nothing else is to do; 0: only by `taco gc`. */
  gcEveryMs: z
    .number()
    .int()
    .min(0)
    .default(6 * 3_600_000),
  /** How long requests under way may take to end at a shutdown. */
  graceMs: z.number().int().min(0).default(20_000),
})
export type ServeOptions = z.infer<typeof ServeOptions>
export type ServeInput = z.input<typeof ServeOptions>
