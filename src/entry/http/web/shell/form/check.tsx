interface CheckProps {
  readonly id: string
  readonly label: string
  readonly isOn: boolean
  readonly error?: string | undefined
}

/** A box to tick. `checked` of `fields.ts` reads it. */
export function Check({ id, label, isOn, error }: CheckProps) {
  return (
    <div class="field">
      <label class="check">
        <input
          type="checkbox"
          id={id}
          name={id}
          value="on"
          checked={isOn}
          {...(error === undefined
            ? {}
            : { 'aria-invalid': 'true' as const, 'aria-describedby': `${id}-error`, autofocus: true })}
        />{' '}
        {label}
      </label>
      {error !== undefined && (
        <span class="error" id={`${id}-error`}>
          {error}
        </span>
      )}
    </div>
  )
}
