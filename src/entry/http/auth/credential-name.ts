/** A token, with the id that names its record in front of the secret. */
const TOKEN = /^(taco_[a-z]+_(?:[a-z0-9_-]{1,40}\.)?[0-9A-Za-z]{16})\.[\w-]{43}$/

/** What may be recorded of a credential: which token it says it is. Undefined: it does not have the form of a token. */
export function credentialName(credential: string): string | undefined {
  return TOKEN.exec(credential)?.[1]
}
