import { fields, flag, list, maybe, number, text } from './check-answer.ts'

const commit = {
  commit: number,
  version: text,
  serial: number,
  at: text,
  by: text,
  who: maybe(text),
  changed: list(text),
}

/** Asked for with `values=text`. */
export const outputsAnswer = fields({
  ...commit,
  outputs: maybe(list(fields({ name: text, sensitive: flag, since: number, value: maybe(text) }))),
})

export const outputsLogItem = fields({ ...commit, outputs: maybe(list(fields({ name: text }))) })

export const outputsDiff = fields({
  from: number,
  to: number,
  changed: list(fields({ name: text, kind: text, sensitive: flag, wasSensitive: maybe(flag) })),
})

export const inputsAnswer = fields({
  unit: fields({ id: text, name: text }),
  inputs: list(
    fields({
      variable: text,
      from: fields({ name: text }),
      output: text,
      commit: number,
      sensitive: flag,
      value: maybe(text),
    }),
  ),
})
