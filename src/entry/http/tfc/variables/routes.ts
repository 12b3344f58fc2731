import { setVariableRoutes } from './set-variables.ts'
import { variableSetRoutes } from './variable-sets.ts'
import { workspaceVariableRoutes } from './workspace-variables.ts'

export const variableRoutes = [...workspaceVariableRoutes, ...variableSetRoutes, ...setVariableRoutes]
