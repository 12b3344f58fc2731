import { TacoError } from '../../base/errors.ts'
import { ESCAPED, HEX, PLAIN, WORDS } from './json-bytes.ts'
import { Utf8Check } from './utf8.ts'

/**
 * What a JsonScan reports about the shallow part of a document. Depth is the number of containers around the thing: the
 * document itself has depth 0, the members of a top-level object have depth 1.
 */
export interface JsonEvents {
  /** A key of an object; its raw text is between `start` and `end`, escapes included. Depth 1 to 3. */
  key(depth: number, bytes: Uint8Array, start: number, end: number): void
  /** A value starts with the byte `first`. Return true to get its raw text. Depth 0 to 4. */
  begin(depth: number, first: number, at: number): boolean
  /** A part of the raw text of the value that was requested last. */
  piece(bytes: Uint8Array): void
  /** The value that began last at this depth ends before `at`. */
  end(depth: number, at: number): void
}

/** Far beyond any state. Limits the memory of everything that walks the content afterwards. */
export const MAX_NESTING = 1000
/** Longer keys on the shallow levels are no state. */
const MAX_KEY_BYTES = 64 * 1024
const EVENT_DEPTH = 4
const KEY_DEPTH = 3

/**
 * The position of a JsonScan between two bytes. Spaces may follow the states up to DONE; MINUS to EXPONENT_DIGITS are
 * inside a number. Constants of this very file: imported ones would be looked up at every byte.
 */
const VALUE = 0
const FIRST_VALUE = 1
const FIRST_KEY = 2
const KEY = 3
const COLON = 4
const AFTER = 5
const DONE = 6
const STRING = 7
const ESCAPE = 8
const UNICODE = 9
const MINUS = 10
const ZERO = 11
const DIGITS = 12
const DOT = 13
const FRACTION = 14
const EXPONENT = 15
const EXPONENT_SIGN = 16
const EXPONENT_DIGITS = 17
const WORD = 18

const OBJECT = 1
/** The words as four bytes read at once, little-endian. */
const TRUE = 0x65757274
const NULL = 0x6c6c756e
const NOTHING = new Uint8Array(0)

/**
 * Checks that pushed bytes are one JSON document in UTF-8, in one pass, without keeping it. Written as one
 * loop over local variables because it runs over every byte of every state that is written; runs of spaces
 * and of plain string bytes are skipped four at a time.
 *
 * A class, as are the others that run for every state: what V8 compiles for a method stays, while what it compiles
 * for the inner functions of a function goes with the last of them, and that is at every large collection.
 */
export class JsonScan {
  private readonly events: JsonEvents
  private readonly utf8 = new Utf8Check()
  private readonly stack = new Uint8Array(MAX_NESTING + 1)
  private savedState = VALUE
  private savedDepth = 0
  private offset = 0
  private lines = 1
  private lineStart = 0
  private savedInKey = false
  private hexLeft = 0
  private word: Uint8Array = NOTHING
  private wordAt = 0
  /** The part of a shallow key in earlier chunks; undefined when no key is cut. */
  private cutKey: Uint8Array | undefined = undefined
  private captures = false
  private captureDepth = 0

  constructor(events: JsonEvents) {
    this.events = events
  }

  private fail(at: number, what: string): TacoError {
    return new TacoError(
      'STATE_NOT_JSON',
      `The state is not JSON: ${what} at line ${this.lines}, byte ${at + 1}.`,
      {
        hint: 'Send the state file exactly as tofu or terraform wrote it.',
        facts: { line: this.lines, column: at - this.lineStart + 1, offset: at },
      },
    )
  }

  private unexpected(at: number, byte: number): TacoError {
    const shown =
      byte > 0x20 && byte < 0x7f
        ? `'${String.fromCharCode(byte)}'`
        : `byte 0x${byte.toString(16).padStart(2, '0')}`
    return this.fail(at, `unexpected ${shown}`)
  }

  push(chunk: Uint8Array): void {
    const invalid = this.utf8.push(chunk)
    const n = chunk.length
    const plain = PLAIN
    const { events, stack, offset } = this
    const view = new DataView(chunk.buffer, chunk.byteOffset, n)
    let state = this.savedState
    let depth = this.savedDepth
    /** Four bytes can be read at every place before this one. */
    const last = n - 3
    let inKey = this.savedInKey
    let i = 0
    /** Where the captured value or the shallow key starts in this chunk. */
    let captureFrom = 0
    let keyFrom = 0

    while (i < n) {
      if (state === STRING) {
        while (i < last) {
          const x = view.getInt32(i, true)
          const quote = x ^ 0x22222222
          const slash = x ^ 0x5c5c5c5c
          const special =
            ((quote - 0x01010101) & ~quote) | ((slash - 0x01010101) & ~slash) | ((x - 0x20202020) & ~x)
          if ((special & 0x80808080) !== 0) break
          i += 4
        }
        while (i < n && plain[chunk[i] as number] === 1) i++
        if (i === n) break
        const c = chunk[i++] as number
        if (c === 0x5c) {
          state = ESCAPE
          continue
        }
        if (c !== 0x22) throw this.fail(offset + i - 1, 'control character in a string')
        if (inKey) {
          inKey = false
          state = COLON
          if (depth <= KEY_DEPTH) {
            if (this.cutKey === undefined) events.key(depth, chunk, keyFrom, i - 1)
            else {
              const whole = Buffer.concat([this.cutKey, chunk.subarray(keyFrom, i - 1)])
              this.cutKey = undefined
              events.key(depth, whole, 0, whole.length)
            }
          }
          // Falls into the test for the colon, which nearly always follows at once.
          if (i < last && chunk[i] === 0x3a) {
            i += chunk[i + 1] === 0x20 ? 2 : 1
            state = VALUE
          }
          continue
        }
        state = depth === 0 ? DONE : AFTER
        if (depth <= EVENT_DEPTH) this.endValue(depth, chunk, captureFrom, i)
        continue
      }

      let b = chunk[i] as number
      if (state <= DONE) {
        if (b <= 0x20) {
          if (b === 0x0a) {
            this.lines++
            this.lineStart = offset + i + 1
          } else if (b !== 0x20 && b !== 0x0d && b !== 0x09) throw this.unexpected(offset + i, b)
          i++
          while (i < last && view.getInt32(i, true) === 0x20202020) i += 4
          while (i < n && chunk[i] === 0x20) i++
          if (i === n) break
          b = chunk[i] as number
          if (b <= 0x20) continue
        }
        if (state === AFTER) {
          if (b === 0x2c) {
            i++
            state = stack[depth] === OBJECT ? KEY : VALUE
            continue
          }
          if (b === (stack[depth] === OBJECT ? 0x7d : 0x5d)) {
            i++
            depth--
            state = depth === 0 ? DONE : AFTER
            if (depth <= EVENT_DEPTH) this.endValue(depth, chunk, captureFrom, i)
            continue
          }
          throw this.unexpected(offset + i, b)
        }
        if (state === KEY || state === FIRST_KEY) {
          i++
          if (b === 0x22) {
            state = STRING
            inKey = true
            keyFrom = i
            continue
          }
          if (b === 0x7d && state === FIRST_KEY) {
            depth--
            state = depth === 0 ? DONE : AFTER
            if (depth <= EVENT_DEPTH) this.endValue(depth, chunk, captureFrom, i)
            continue
          }
          throw this.unexpected(offset + i - 1, b)
        }
        if (state === COLON) {
          if (b !== 0x3a) throw this.unexpected(offset + i, b)
          i++
          state = VALUE
          continue
        }
        if (state === DONE) throw this.fail(offset + i, 'something follows the document')

        if (b === 0x5d && state === FIRST_VALUE) {
          i++
          depth--
          state = depth === 0 ? DONE : AFTER
          if (depth <= EVENT_DEPTH) this.endValue(depth, chunk, captureFrom, i)
          continue
        }
        if (depth <= EVENT_DEPTH) {
          if (events.begin(depth, b, offset + i)) {
            this.captures = true
            this.captureDepth = depth
            captureFrom = i
          }
        }
        if (b === 0x22) {
          i++
          state = STRING
        } else if (b === 0x7b || b === 0x5b) {
          if (depth === MAX_NESTING) throw this.fail(offset + i, `more than ${MAX_NESTING} levels`)
          i++
          depth++
          stack[depth] = b === 0x7b ? OBJECT : 0
          state = b === 0x7b ? FIRST_KEY : FIRST_VALUE
        } else if (b === 0x2d) {
          i++
          state = MINUS
        } else if (b === 0x30) {
          i++
          state = ZERO
        } else if (b > 0x30 && b <= 0x39) {
          i++
          state = DIGITS
        } else if (i < last && (view.getInt32(i, true) === TRUE || view.getInt32(i, true) === NULL)) {
          i += 4
          state = depth === 0 ? DONE : AFTER
          if (depth <= EVENT_DEPTH) this.endValue(depth, chunk, captureFrom, i)
        } else {
          const known = WORDS.get(b)
          if (known === undefined) throw this.unexpected(offset + i, b)
          this.word = known
          this.wordAt = 1
          i++
          state = WORD
        }
        continue
      }

      if (state === WORD) {
        if (b !== this.word[this.wordAt]) throw this.unexpected(offset + i, b)
        i++
        this.wordAt++
        if (this.wordAt === this.word.length) {
          state = depth === 0 ? DONE : AFTER
          if (depth <= EVENT_DEPTH) this.endValue(depth, chunk, captureFrom, i)
        }
        continue
      }
      if (state === ESCAPE) {
        if (b === 0x75) {
          this.hexLeft = 4
          state = UNICODE
        } else if (ESCAPED[b] === 1) state = STRING
        else throw this.fail(offset + i, 'unknown escape in a string')
        i++
        continue
      }
      if (state === UNICODE) {
        if (HEX[b] !== 1) throw this.fail(offset + i, 'unknown escape in a string')
        i++
        if (--this.hexLeft === 0) state = STRING
        continue
      }

      // In a number: a digit, something that leads to another part of it, or its end.
      const digit = b >= 0x30 && b <= 0x39
      const dot = b === 0x2e
      const letterE = b === 0x65 || b === 0x45
      if (digit && state !== ZERO) {
        if (state === MINUS) state = b === 0x30 ? ZERO : DIGITS
        else if (state === DOT) state = FRACTION
        else if (state === EXPONENT || state === EXPONENT_SIGN) state = EXPONENT_DIGITS
        i++
      } else if (dot && (state === ZERO || state === DIGITS)) {
        state = DOT
        i++
      } else if (letterE && (state === ZERO || state === DIGITS || state === FRACTION)) {
        state = EXPONENT
        i++
      } else if (state === EXPONENT && (b === 0x2b || b === 0x2d)) {
        state = EXPONENT_SIGN
        i++
      } else if (state === ZERO || state === DIGITS || state === FRACTION || state === EXPONENT_DIGITS) {
        if (digit || dot || letterE) throw this.unexpected(offset + i, b)
        state = depth === 0 ? DONE : AFTER
        if (depth <= EVENT_DEPTH) this.endValue(depth, chunk, captureFrom, i)
      } else throw this.unexpected(offset + i, b)
    }

    if (invalid !== undefined) throw this.fail(offset + invalid, 'bytes that are not UTF-8')
    if (this.captures) events.piece(chunk.subarray(captureFrom, n))
    if (inKey && depth <= KEY_DEPTH) {
      this.cutKey = Buffer.concat([this.cutKey ?? NOTHING, chunk.subarray(keyFrom, n)])
      if (this.cutKey.length > MAX_KEY_BYTES) throw this.fail(offset, 'an endless key')
    }
    this.savedState = state
    this.savedDepth = depth
    this.savedInKey = inKey
    this.offset = offset + n
  }

  private endValue(depth: number, chunk: Uint8Array, from: number, to: number): void {
    if (this.captures && depth === this.captureDepth) {
      this.captures = false
      this.events.piece(chunk.subarray(from, to))
    }
    this.events.end(depth, this.offset + to)
  }

  finish(): void {
    // A number at the very end is complete only now. A space ends it, and does no harm to anything else that is
    // complete.
    const end = this.offset
    if (this.savedState !== DONE && this.savedDepth === 0) this.push(Uint8Array.of(0x20))
    this.offset = end
    if (this.savedState !== DONE || !this.utf8.isComplete())
      throw this.fail(end, 'the document ends too early')
  }
}
