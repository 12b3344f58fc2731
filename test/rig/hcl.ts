/** The backend block, as `taco backend` prints it and a user pastes it. */
export function httpBackend(url: string, unit: string, org = 'default'): string {
  const address = `${url}/v1/backend/${org}/${unit}`
  return `
terraform {
  backend "http" {
    address        = "${address}"
    lock_address   = "${address}"
    unlock_address = "${address}"
  }
}
`
}

/** One resource and one output, both of them the given value; needs no provider to be downloaded. */
export function oneResource(value: string): string {
  return `
resource "terraform_data" "one" {
  input = "${value}"
}

output "value" {
  value = terraform_data.one.output
}
`
}

/** A resource that reports when it is being created, and is not ready before the test lets it continue or ends. */
export function waitingResource(startedFile: string, goFile: string): string {
  return `
resource "terraform_data" "waiting" {
  provisioner "local-exec" {
    command = "trap '' INT; touch '${startedFile}'; until [ -e '${goFile}' ] || [ ! -e '${startedFile}' ]; do sleep 0.05; done"
  }
}
`
}
