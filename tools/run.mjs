// Starting other programs, for the scripts of this folder.

import { spawn } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('..', import.meta.url))

/**
 * Runs a program and hands back what it printed. With `show` its output also goes to the screen as it comes.
 *
 * @param {readonly string[]} command
 * @param {{ cwd?: string, env?: Record<string, string>, show?: boolean }} [options]
 * @returns {Promise<{ code: number, output: string }>}
 */
export function run([program = '', ...args], { cwd = root, env = {}, show = false } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: show ? 'inherit' : ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    child.stdout?.on('data', (chunk) => (output += chunk))
    child.stderr?.on('data', (chunk) => (output += chunk))
    child.on('error', reject)
    child.on('close', (code) => resolve({ code: code ?? 1, output }))
  })
}

/**
 * The path of a program of node_modules.
 *
 * @param {string} name
 */
export function own(name) {
  return join(root, 'node_modules/.bin', name)
}

/** @param {string} name */
export function isOnPath(name) {
  return (process.env['PATH'] ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, name), constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}

/** @param {number} since a value of performance.now() */
export function seconds(since) {
  return `${((performance.now() - since) / 1000).toFixed(1)} s`
}
