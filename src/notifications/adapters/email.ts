import type { Destination } from '../destination.ts'
import type { Notice } from '../notice.ts'

export interface MailSettings {
  /** `smtp://user:password@host:587` or `smtps://…`. */
  readonly url: string
  readonly from: string
  readonly timeoutMs?: number
}

const TIMEOUT_MS = 20_000

/** E-mail through an SMTP server. Undefined: this server has none. */
export function createEmail(settings: MailSettings | undefined): Destination {
  return {
    async send({ emails }, notice) {
      const url = `mailto:${emails.join(',')}`
      const failed = (code: string, body: string) => ({ url, code, headers: {}, body, isSuccessful: false })
      if (settings === undefined)
        return failed('ENOSMTP', 'This server sends no e-mail: start it with --smtp-url and --smtp-from.')
      if (emails.length === 0) return failed('ENORECIPIENT', 'No recipient has an e-mail address.')
      try {
        return { url, ...(await sendMail(settings, emails, notice)) }
      } catch (error) {
        const code = error instanceof Error && 'responseCode' in error ? String(error.responseCode) : 'error'
        return failed(code, error instanceof Error ? error.message : String(error))
      }
    },
  }
}

async function sendMail(
  { url, from, timeoutMs = TIMEOUT_MS }: MailSettings,
  emails: readonly string[],
  notice: Notice,
) {
  const { createTransport } = await import('nodemailer')
  const transport = createTransport({
    url,
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  try {
    const { response, accepted } = await transport.sendMail({
      from,
      // Recipients do not see each other.
      to: from,
      bcc: [...emails],
      subject: subjectOf(notice),
      text: textOf(notice),
    })
    return { code: response.slice(0, 3), headers: {}, body: response, isSuccessful: accepted.length > 0 }
  } finally {
    transport.close()
  }
}

function subjectOf({ message, org, workspace }: Notice): string {
  const about = workspace === null ? org : `${org}/${workspace.name}`
  return `[${about}] ${message}`.replaceAll(/\s+/g, ' ').slice(0, 200)
}

function textOf({ message, org, workspace, trigger, event, link, configuration }: Notice): string {
  return [
    message,
    '',
    `Organization: ${org}`,
    ...(workspace === null ? [] : [`Workspace: ${workspace.name}`]),
    `Trigger: ${trigger}`,
    ...(event === null ? [] : [`Time: ${event.at}`]),
    ...(link === null ? [] : ['', link]),
    '',
    `You get this because of the notification ${configuration}.`,
    '',
  ].join('\n')
}
