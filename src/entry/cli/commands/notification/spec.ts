import { command } from '../../spec/spec.ts'
import type { CommandSpec, OptionSpec } from '../../spec/spec.ts'
import * as notification from './notification.ts'

const id = { name: 'id', says: 'id of the notification, as `taco notification ls` shows it' }
const scope: readonly OptionSpec[] = [
  { name: 'unit', value: 'unit', says: 'of this unit (default: of the organization)' },
  { name: 'project', value: 'project', says: 'of this project' },
  { name: 'team', value: 'team', says: 'of this team' },
]

export const notificationCommands: CommandSpec = {
  name: 'notification',
  says: 'webhooks, chats and people that are told about events',
  children: [
    command({
      name: 'ls',
      alias: 'list',
      says: 'list notifications',
      options: scope,
      example: 'taco notification ls --unit prod/network',
      run: notification.list,
    }),
    command({
      name: 'create',
      says: 'tell a webhook, a chat or people about events; a webhook must accept a test first',
      options: [
        { name: 'name', value: 'name', says: 'what it is for (required)' },
        {
          name: 'trigger',
          value: 'trigger',
          many: true,
          says: 'such as state:changed (required, repeatable)',
        },
        { name: 'url', value: 'url', says: 'URL of a webhook' },
        {
          name: 'kind',
          value: 'kind',
          choices: ['generic', 'slack', 'microsoft-teams'],
          says: 'kind of the webhook; default: by its URL',
        },
        {
          name: 'token-env',
          value: 'name',
          says: 'environment variable with the token that signs what a generic webhook gets',
        },
        { name: 'email', value: 'address', many: true, says: 'send e-mail to this address (repeatable)' },
        { name: 'person', value: 'login', many: true, says: 'send e-mail to this person (repeatable)' },
        { name: 'disabled', says: 'store it without a test, and send nothing yet' },
        ...scope,
      ],
      example: `taco notification create --name alerts --url https://hooks.slack.com/services/T0/B0/x --trigger rollout:failed
taco notification create --name vpc --unit prod/network/vpc --email ops@example.com --trigger outside:changed`,
      run: notification.create,
    }),
    command({
      name: 'show',
      says: 'show a notification and its last deliveries',
      args: [id],
      example: 'taco notification show nc-Gx4vUkP2sWq7ZrTn',
      run: notification.show,
    }),
    command({
      name: 'test',
      says: 'send a test',
      args: [id],
      example: 'taco notification test nc-Gx4vUkP2sWq7ZrTn',
      run: notification.test,
    }),
    command({
      name: 'enable',
      says: 'send from now on; a webhook must accept a test first',
      args: [id],
      example: 'taco notification enable nc-Gx4vUkP2sWq7ZrTn',
      run: (session, [of = '']) => notification.setEnabled(session, of, true),
    }),
    command({
      name: 'disable',
      says: 'send nothing any more',
      args: [id],
      example: 'taco notification disable nc-Gx4vUkP2sWq7ZrTn',
      run: (session, [of = '']) => notification.setEnabled(session, of, false),
    }),
    command({
      name: 'rm',
      alias: 'delete',
      says: 'delete a notification',
      args: [id],
      example: 'taco notification rm nc-Gx4vUkP2sWq7ZrTn',
      run: notification.remove,
    }),
  ],
}
