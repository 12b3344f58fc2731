import { type ResourceObject, one } from '../kit/json-api.ts'

export interface Account {
  readonly id: string
  readonly username: string
  readonly email: string
  readonly isService: boolean
}

export function viewUser({ id, username, email, isService }: Account, isSelf: boolean): ResourceObject {
  return {
    id,
    type: 'users',
    attributes: {
      username,
      'is-service-account': isService,
      'avatar-url': '',
      'auth-method': isService ? 'tfc' : 'sso',
      'v2-only': false,
      'is-sso-login': !isService,
      'is-site-admin': false,
      'is-admin': false,
      ...(isSelf
        ? { email, 'unconfirmed-email': null, 'two-factor': { enabled: false, verified: false } }
        : {}),
      permissions: {
        'can-create-organizations': isSelf,
        'can-change-email': false,
        'can-change-username': false,
        'can-change-password': false,
        'can-manage-user-tokens': isSelf && !isService,
        'can-view2fa-settings': false,
        'can-manage-hcp-account': false,
      },
    },
    relationships: { 'authentication-tokens': one('authentication-tokens', null) },
    links: { self: `/api/v2/users/${id}` },
  }
}
