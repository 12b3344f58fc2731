import { TacoError } from '../../base/errors.ts'
import { didYouMean, MOST_NAMED, nearest, nearestUnit, sayNames } from '../../base/text/nearest.ts'

/** Errors for names that are nearly right. */

export function unknownUnit(name: string, known: readonly string[], field = 'unit'): TacoError {
  const guess = nearestUnit(name, known)
  return new TacoError('NOT_FOUND', `There is no unit ${name}.`, {
    facts: { field, unit: name, ...(guess === undefined ? {} : { nearest: guess }) },
    hint: didYouMean(guess, '`taco unit ls` lists all units.'),
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
    hint: didYouMean(
      guess,
      guess === undefined ? `${has} Engines do not store outputs whose value is null.` : has,
    ),
  })
}
