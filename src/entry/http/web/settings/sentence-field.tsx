import type { Faults } from '../shell/faults.ts'

interface SentenceFieldProps {
  readonly id: string
  /** What the number is, for those who cannot see the sentence around it. */
  readonly label: string
  readonly before: string
  readonly after: string
  readonly value: string
  readonly faults: Faults
}

/** A number inside a sentence. Empty: all. */
export function SentenceField({ id, label, before, after, value, faults }: SentenceFieldProps) {
  const error = faults[id]
  const isWrong = error !== undefined
  return (
    <>
      <div class="sentence">
        <label for={id}>{before}</label>
        <input
          type="text"
          inputmode="numeric"
          id={id}
          name={id}
          value={value}
          placeholder="all"
          autocomplete="off"
          aria-label={label}
          aria-describedby={isWrong ? `${id}-error` : undefined}
          aria-invalid={isWrong ? 'true' : undefined}
        />
        <span>{after}</span>
      </div>
      {isWrong && (
        <span class="error" id={`${id}-error`}>
          {error}
        </span>
      )}
    </>
  )
}
