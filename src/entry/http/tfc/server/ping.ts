import { NO_CONTENT, ofServer, route } from '../kit/define.ts'

export const pingRoutes = [
  route({
    method: 'GET',
    path: '/api/v2/ping',
    id: 'pingTerraformCloudApi',
    action: 'server:read',
    // Clients ask before they know whether their token is good, and read nothing but the headers.
    openness: 'everybody',
    tags: ['terraform cloud'],
    summary: 'The version of this API, in headers',
    target: ofServer,
    answers: { 204: NO_CONTENT },
    handle: () => ({ status: 204 as const }),
  }),
]
