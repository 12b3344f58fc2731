/**
 * The command line: a client of the documented HTTP API and nothing else. A command parses its arguments, makes
 * requests and renders the answers. Over a bucket the same API runs inside the process, and the same client talks
 * to it. Nothing here knows an adapter or a service; what must be opened comes in through `World`.
 *
 * Starting fast is a promise: each command's code is loaded when it is called, and answers are checked without a
 * schema library.
 */
export { runCli } from './run.ts'
export type { ServeOptions, Served, Signal, World } from './world.ts'
