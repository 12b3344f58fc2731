import type { ClaimView, StepEnd } from '../rollouts/index.ts'
import type { EngineLeft } from './host/left-engine.ts'

/** Everything that happens while a worker runs. Faces turn it into text; nothing is decided by it. */
export type RunnerEvent =
  /** Only others have steps to do. */
  | { readonly kind: 'idle' }
  | { readonly kind: 'started'; readonly unit: string; readonly claim: ClaimView }
  | { readonly kind: 'ended'; readonly unit: string; readonly end: StepEnd }
  /** A line that the engine printed. */
  | { readonly kind: 'line'; readonly unit: string; readonly line: string }
  /** A file that the code uses cannot be read, so the unit has no fingerprint. */
  | { readonly kind: 'unproven'; readonly unit: string; readonly path: string }
  /** A call failed and is repeated: the unit is locked, or the server is away. */
  | { readonly kind: 'waiting'; readonly unit: string; readonly error: Error }
  /** An earlier worker was killed, and its engine may still be running. */
  | { readonly kind: 'engine-left'; readonly unit: string; readonly left: EngineLeft }
  /** Which process runs could not be recorded, so other workers cannot wait for it. */
  | { readonly kind: 'unrecorded'; readonly unit: string; readonly reason: string }
  /** The token of the run could not be revoked. */
  | {
      readonly kind: 'token-left'
      readonly unit: string
      readonly expiresAt: string
      readonly error: unknown
    }
  /** Another worker has the step now. */
  | { readonly kind: 'lost'; readonly unit: string }
  /** The end of the step was refused: it is another worker's, or no longer true. */
  | { readonly kind: 'refused'; readonly unit: string; readonly error: Error }
