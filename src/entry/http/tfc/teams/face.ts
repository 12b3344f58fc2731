import { teamMemberRoutes } from './team-members.ts'
import { teamProjectRoutes } from './team-projects.ts'
import { teamWorkspaceRoutes } from './team-workspaces.ts'
import { teamsRoutes } from './teams.ts'

export const teamRoutes = [...teamsRoutes, ...teamMemberRoutes, ...teamWorkspaceRoutes, ...teamProjectRoutes]
