/** What the engines let outputs, variables and blocks be called, as a piece of a pattern with the flag `u`. */
export const IDENTIFIER = String.raw`[\p{L}_][\p{L}\p{N}_-]*`

export const WHOLE_IDENTIFIER = new RegExp(`^${IDENTIFIER}$`, 'u')
