import { z } from 'zod'
import type { Caller, Sealing } from '../access/index.ts'
import { maskUrl } from '../base/text/mask-url.ts'
import { openObject } from '../bucket/index.ts'
import { type RecordDeps, type RecordOf, type Records, createRecords } from '../records/index.ts'

export const Stage = z.enum(['pre_plan', 'post_plan', 'pre_apply', 'post_apply'])
export const TaskLevel = z.enum(['advisory', 'mandatory'])

const shape = {
  name: z.string(),
  url: z.string(),
  description: z.string(),
  category: z.string(),
  isEnabled: z.boolean(),
  /** Signs the requests to the address. Sealed. */
  hmacKey: z.string().optional(),
  /** For every unit of the organization. */
  global: openObject({ isEnabled: z.boolean(), stages: z.array(z.string()), level: z.string() }).optional(),
  agentPool: z.string().optional(),
}
type Stored = RecordOf<typeof shape>
/** Without its key, which can be replaced and never read. */
export type RunTask = Omit<Stored, 'hmacKey'>
export type RunTaskFields = Pick<
  RunTask,
  'name' | 'url' | 'description' | 'category' | 'isEnabled' | 'global' | 'agentPool'
>

/**
 * Addresses that runs ask on their way: stored, and asked by nobody yet. Storing one sends nothing to it, so that
 * nobody can make the server talk to an address inside its network.
 */
export interface RunTasks extends Pick<Records<RunTask>, 'list' | 'locate'> {
  create(org: string, fields: RunTaskFields, hmacKey: string | undefined, caller: Caller): Promise<RunTask>
  /** `hmacKey`: undefined leaves it as it is, an empty one takes it away. */
  update(
    org: string,
    id: string,
    change: (task: RunTask) => RunTask,
    hmacKey: string | undefined,
    caller: Caller,
  ): Promise<RunTask>
  remove(org: string, id: string, caller: Caller): Promise<void>
}

export function createRunTasks(deps: RecordDeps & { readonly sealing: Sealing }): RunTasks {
  const records = createRecords(deps, {
    name: 'run task',
    folder: 'run-tasks',
    word: 'run-task',
    prefix: 'task',
    shape,
    most: 500,
    unique: { field: 'name', of: ({ name }) => name },
    says: ({ name, url }) => ({ name, url: maskUrl(url) }),
  })

  function sealed(id: string, key: string | undefined): Pick<Stored, 'hmacKey'> {
    if (key === undefined || key === '') return {}
    return { hmacKey: deps.sealing.seal(key, `run-task ${id} hmacKey`) }
  }

  return {
    list: records.list,
    locate: records.locate,
    create(org, fields, hmacKey, caller) {
      const id = records.newId(org)
      return records.create({ org }, { ...fields, ...sealed(id, hmacKey) }, caller, id)
    },
    update(org, id, change, hmacKey, caller) {
      return records.update(
        { org },
        id,
        (before) => {
          const { hmacKey: old, ...task } = before
          const key =
            hmacKey === undefined ? (old === undefined ? {} : { hmacKey: old }) : sealed(id, hmacKey)
          return { ...change(task), ...key }
        },
        caller,
      )
    },
    async remove(org, id, caller) {
      await records.remove({ org }, id, caller)
    },
  }
}

const attachedShape = {
  unit: z.string(),
  task: z.string(),
  level: z.string(),
  stages: z.array(z.string()),
}
/** A run task of a unit. */
export type UnitTask = RecordOf<typeof attachedShape>
export type UnitTasks = Records<UnitTask>

/** All of an organization in one list, so that a task knows the units it is for. */
export function createUnitTasks(deps: RecordDeps): UnitTasks {
  return createRecords(deps, {
    name: 'workspace run task',
    folder: 'workspace-run-tasks',
    word: 'workspace-run-task',
    prefix: 'wstask',
    shape: attachedShape,
    most: 5_000,
    unique: { field: 'task', of: ({ unit, task }) => `${unit} ${task}` },
    says: ({ unit, task, level, stages }) => ({ unit, task, level, stages }),
  })
}
