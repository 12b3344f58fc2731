import { TacoError } from '../../base/errors.ts'
import { MOST_NAMED, nearest, sayNames } from '../../base/text/nearest.ts'

/** Errors for names that are nearly right. */

export function unknownUnit(name: string, known: readonly string[], field = 'unit'): TacoError {
  const guess =
    nearest(name, known) ??
    known.find((other) => other.endsWith(`/${name}`)) ??
    known.find((other) => other.startsWith(`${name}/`))
  return new TacoError('NOT_FOUND', `There is no unit ${name}.`, {
    facts: { field, unit: name, ...(guess === undefined ? {} : { nearest: guess }) },
    hint:
      guess === undefined
        ? 'See `taco unit ls`.'
        : `Did you mean ${guess}? \`taco unit ls\` lists all units.`,
  })
}

export function unknownOutput(unit: string, name: string, known: readonly string[]): TacoError {
  const guess = nearest(name, known)
  const has = `It has ${sayNames(known)}.`
  return new TacoError('NOT_FOUND', `${unit} has no output ${name}.`, {
    facts: {
      field: 'outputs',
      output: name,
      known: known.slice(0, MOST_NAMED),
      ...(guess === undefined ? {} : { nearest: guess }),
    },
    hint:
      guess === undefined
        ? `${has} Engines do not store outputs whose value is null.`
        : `Did you mean ${guess}? ${has}`,
  })
}
