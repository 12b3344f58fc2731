import type { Destination } from '../destination.ts'
import type { PostJson } from './post-json.ts'

/** A webhook of a Microsoft Teams channel (a workflow or a connector), which takes a card. */
export function createMicrosoftTeams(post: PostJson): Destination {
  return {
    send: ({ url }, { message, org, workspace, trigger, link }, signal) => {
      const facts = [
        { title: 'Organization', value: org },
        ...(workspace === null ? [] : [{ title: 'Workspace', value: workspace.name }]),
        { title: 'Trigger', value: trigger },
      ]
      const content = {
        $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
        type: 'AdaptiveCard',
        version: '1.4',
        body: [
          { type: 'TextBlock', text: message, wrap: true, weight: 'bolder' },
          { type: 'FactSet', facts },
        ],
        actions: link === null ? [] : [{ type: 'Action.OpenUrl', title: 'Open in OpenTaco', url: link }],
      }
      const contentType = 'application/vnd.microsoft.card.adaptive'
      return post(
        url,
        { type: 'message', summary: message, attachments: [{ contentType, contentUrl: null, content }] },
        // A connector answers 200 also where Teams refused the message, and says so in the body.
        { signal, isAccepted: (body) => !/HTTP error [45]\d\d/i.test(body) },
      )
    },
  }
}
