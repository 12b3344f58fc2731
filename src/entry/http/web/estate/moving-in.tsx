import { Card, Command } from '../shell/parts.tsx'

interface MovingInProps {
  /** Where the states of this server are. */
  readonly bucket: string
  readonly unit: string
}

/** For those who have states elsewhere. */
export function MovingIn({ bucket, unit }: MovingInProps) {
  return (
    <Card title="Coming from somewhere else?">
      <details class="more">
        <summary>States in a bucket (S3, GCS, Azure)</summary>
        <div class="stack">
          <p class="muted">
            States in <code>{bucket}</code> become units where they are. Nothing is moved or changed, and the
            old backend keeps working.
          </p>
          <Command>taco adopt --dry-run</Command>
          <p class="muted">For another bucket, start the server there, then adopt:</p>
          <Command>taco serve --bucket s3://my-states</Command>
        </div>
      </details>
      <details class="more">
        <summary>Terragrunt</summary>
        <div class="stack">
          <p class="muted">
            Adopt the states as above. Then read the dependencies from the <code>terragrunt.hcl</code> files,
            look at the <code>taco.yaml</code> that this writes, and apply it.
          </p>
          <Command>taco scan --write</Command>
          <Command>taco sync</Command>
        </div>
      </details>
      <details class="more">
        <summary>Atlantis and other pull request automation</summary>
        <div class="stack">
          <p class="muted">
            It stays as it is: it runs unmodified <code>terraform</code> or <code>tofu</code>. Adopt the
            states, or point the code at this server, and give the automation a token of its own in{' '}
            <code>TF_HTTP_PASSWORD</code>, with <code>TF_HTTP_USERNAME=taco</code>.
          </p>
        </div>
      </details>
      <details class="more">
        <summary>Terraform Cloud</summary>
        <div class="stack">
          <p class="muted">
            Save the state before you change the code. Then change the <code>cloud</code> block to this
            server, and store the state here.
          </p>
          <Command>terraform state pull &gt; old.tfstate</Command>
          <Command>{`taco backend ${unit} --kind cloud --replace`}</Command>
          <Command>{`taco state push ${unit} old.tfstate`}</Command>
        </div>
      </details>
    </Card>
  )
}
