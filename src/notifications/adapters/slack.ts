import type { Destination } from '../destination.ts'
import type { PostJson } from './post-json.ts'

/** An incoming webhook of Slack, or of what understands the same. */
export function createSlack(post: PostJson): Destination {
  return {
    send: ({ url }, { message, org, workspace, trigger, link }, signal) => {
      const about = [org, ...(workspace === null ? [] : [workspace.name]), trigger].map(escaped).join(' · ')
      const more = link === null ? [] : [`<${link}|Open in OpenTaco>`]
      return post(
        url,
        {
          text: escaped(message),
          blocks: [
            { type: 'section', text: { type: 'mrkdwn', text: escaped(message) } },
            { type: 'context', elements: [{ type: 'mrkdwn', text: [about, ...more].join(' · ') }] },
          ],
        },
        { signal },
      )
    },
  }
}

/** Slack reads these as markup. */
function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
