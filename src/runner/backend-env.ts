/** Both engines read these instead of the code. `run` is recorded with the locks that they take. */
export function backendEnv(url: string, token: string | undefined, run?: string): Record<string, string> {
  return {
    TF_HTTP_ADDRESS: url,
    TF_HTTP_LOCK_ADDRESS: run === undefined ? url : `${url}?run=${encodeURIComponent(run)}`,
    TF_HTTP_UNLOCK_ADDRESS: url,
    TF_HTTP_UPDATE_METHOD: 'POST',
    TF_HTTP_LOCK_METHOD: 'LOCK',
    TF_HTTP_UNLOCK_METHOD: 'UNLOCK',
    ...(token === undefined
      ? {}
      : { TF_HTTP_USERNAME: 'taco', TF_HTTP_PASSWORD: token, [tokenVariable(url)]: token }),
  }
}

/** Where code with a `cloud` block or `backend "remote"` finds the token for a host. */
function tokenVariable(url: string): string {
  return `TF_TOKEN_${new URL(url).host.replaceAll('-', '__').replaceAll('.', '_')}`
}
