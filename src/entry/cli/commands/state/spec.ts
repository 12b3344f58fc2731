import { audit } from './audit.ts'
import { verifyAudit } from './audit-verify.ts'
import { backend } from './backend.ts'
import { events } from './events.ts'
import { exec } from './exec.ts'
import { lock, unlock } from './lock.ts'
import * as state from './state.ts'
import { pull, push } from './transfer.ts'
import { command, lockOption, messageOption, unitArg, yesOption } from '../../spec/spec.ts'
import type { ArgSpec, CommandSpec, OptionSpec } from '../../spec/spec.ts'

const versionArg: ArgSpec = { name: 'version', says: 'id, number, "current" or "previous"' }

const keepSerialOption: OptionSpec = {
  name: 'keep-serial',
  says: 'keep the old serial of an encrypted state; plans saved at that serial become valid again',
}

export const stateCommands: CommandSpec = {
  name: 'state',
  says: 'states and their history',
  children: [
    command({
      name: 'pull',
      says: 'write a state unchanged to stdout or a file',
      args: [unitArg, { ...versionArg, optional: true }],
      options: [{ name: 'output', short: 'o', value: 'file', says: 'write to this file (mode 0600)' }],
      example: 'taco state pull prod/network -o network.tfstate',
      run: pull,
    }),
    command({
      name: 'push',
      says: 'store a state as a new version; the unit is created if needed',
      args: [unitArg, { name: 'file', says: 'the state, or "-" for stdin' }],
      options: [
        lockOption,
        messageOption,
        {
          name: 'force',
          says: 'skip the serial and lineage checks; an old serial is raised to the next one',
        },
        keepSerialOption,
      ],
      example: 'taco state push prod/network terraform.tfstate -m "moved from local"',
      run: push,
      makesBucket: true,
    }),
    command({
      name: 'versions',
      alias: 'history',
      says: 'list the versions of a state, newest first',
      args: [unitArg],
      options: [
        {
          name: 'limit',
          short: 'n',
          value: 'count',
          isNumber: true,
          says: 'only this many (default: 20 on a terminal, all otherwise)',
        },
      ],
      example: 'taco state versions prod/network -n 5',
      run: state.versions,
    }),
    command({
      name: 'show',
      says: 'show a version',
      args: [unitArg, { ...versionArg, optional: true }],
      example: 'taco state show prod/network previous',
      run: state.show,
    }),
    command({
      name: 'diff',
      says: 'show what changed between two versions (default: previous and current)',
      args: [
        unitArg,
        { name: 'from', optional: true, says: 'id, number or "previous"' },
        { name: 'to', optional: true, says: 'id, number or "current"' },
      ],
      options: [{ name: 'exit-code', says: 'exit with 7 if they differ' }],
      example: 'taco state diff prod/network 11 12',
      run: state.diff,
    }),
    command({
      name: 'rollback',
      says: 'make the content of an older version current again, as a new version',
      args: [unitArg, versionArg],
      options: [lockOption, messageOption, keepSerialOption, yesOption],
      example: 'taco state rollback prod/network previous -m "bad apply"',
      run: state.rollback,
    }),
    command({
      name: 'rm',
      says: 'delete the state of a unit; its history stays',
      args: [unitArg],
      options: [
        lockOption,
        {
          name: 'force',
          says: 'delete it even if it has resources; for a missing state, accept the loss',
        },
        yesOption,
      ],
      example: 'taco state rm dev/scratch --yes',
      run: state.remove,
    }),
  ],
}

export const lockCommands: readonly CommandSpec[] = [
  command({
    name: 'lock',
    says: 'lock a unit, so that no one else can change its state',
    args: [unitArg],
    options: [
      {
        name: 'reason',
        short: 'r',
        value: 'text',
        says: 'reason, shown to anyone who finds the unit locked',
      },
      { name: 'id', value: 'id', says: 'lock id (default: a new one)' },
      { name: 'lease', value: 'duration', says: 'release automatically after this time, e.g. 30m' },
    ],
    example: 'taco lock prod/network --reason "migrating" --lease 1h',
    run: lock,
  }),
  command({
    name: 'unlock',
    says: 'release your lock; with --force, any lock',
    args: [unitArg],
    options: [
      { name: 'id', value: 'id', says: 'lock id' },
      { name: 'force', says: 'break whatever lock is held (recorded in the history)' },
    ],
    example: 'taco unlock prod/network',
    run: unlock,
  }),
  command({
    name: 'backend',
    says: 'print the backend block that stores the state of code in this unit',
    args: [{ name: 'unit', says: 'unit name' }],
    options: [
      {
        name: 'kind',
        value: 'kind',
        choices: ['http', 'cloud', 'remote', 's3'],
        fallback: 'http',
        says: 'kind of backend',
      },
      {
        name: 'write',
        short: 'w',
        value: 'file',
        valueOptional: true,
        says: 'write it to a file (backend.tf)',
      },
      { name: 'force', says: 'overwrite the file' },
      {
        name: 'replace',
        says: 'replace the backend in the code and change nothing else',
      },
    ],
    example: 'taco backend prod/network --write',
    run: backend,
  }),
  command({
    name: 'exec',
    says: 'run a command with a state backend for one unit (the code only needs: backend "http" {})',
    args: [
      { name: 'unit', says: 'unit name' },
      { name: 'command', rest: true, says: 'the command and its arguments' },
    ],
    example: 'taco --bucket s3://states exec prod/network -- tofu plan',
    run: exec,
    ownsSignals: true,
    makesBucket: true,
  }),
  command({
    name: 'events',
    says: 'show the journal of changes (with --json, one event per line)',
    options: [
      { name: 'unit', short: 'u', value: 'unit', says: 'only events of this unit' },
      {
        name: 'type',
        short: 't',
        value: 'type',
        many: true,
        says: 'only events of this type, e.g. state.written (repeatable)',
      },
      { name: 'after', value: 'cursor', says: 'only events after this cursor' },
      { name: 'limit', short: 'n', value: 'count', isNumber: true, says: 'only this many, the newest' },
      { name: 'follow', short: 'f', says: 'keep printing new events' },
    ],
    example: 'taco events --follow --type lock.taken --type lock.released',
    run: events,
  }),
  {
    ...command({
      name: 'audit',
      says: 'show who changed what and who was refused, newest first (with --json, one record per line)',
      options: [
        {
          name: 'who',
          value: 'who',
          says: 'only by this principal (user:alice or alice), or through this token, session or run (its id)',
        },
        { name: 'unit', short: 'u', value: 'unit', says: 'only about this unit' },
        {
          name: 'action',
          value: 'action',
          says: 'only this action or type of event, e.g. state:write, state:* or lock.forced',
        },
        {
          name: 'since',
          value: 'time',
          says: 'only from this time on, e.g. 2026-03-04, 2026-03-04T05:06Z or 12h',
        },
        { name: 'until', value: 'time', says: 'only up to this time' },
        {
          name: 'result',
          value: 'result',
          choices: ['done', 'refused'],
          says: 'only changes, or only refusals',
        },
        {
          name: 'limit',
          short: 'n',
          value: 'count',
          isNumber: true,
          says: 'only this many (default: 100 on a terminal, all otherwise)',
        },
        { name: 'csv', says: 'print CSV' },
      ],
      example: 'taco audit --since 7d --result refused',
      run: audit,
    }),
    children: [
      command({
        name: 'verify',
        says: 'check the records against their seals; exits with 7 if something was changed, removed or added',
        options: [
          { name: 'since', value: 'time', says: 'only records from this time on; seals are always checked' },
          {
            name: 'expect',
            value: 'hash',
            many: true,
            says: 'a hash that an earlier verification printed: it must still be there (repeatable)',
          },
        ],
        example: 'taco audit verify --since 30d --expect 3b1f…',
        run: verifyAudit,
      }),
    ],
  },
]
