import { crc32, deflateSync, inflateSync } from 'node:zlib'

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
const MOST_COLOURS = 256

/**
 * The same picture with a palette, at about a third of the size: pages have few colours, and the rest are shades at the
 * edges of letters. Takes what Chromium writes: 8 bits for each of red, green, blue and perhaps alpha, not interlaced.
 */
export function withPalette(png: Buffer): Buffer {
  const { width, height, channels, pixels } = decode(png)
  const counts = new Map<number, number>()
  const colours = new Uint32Array(width * height)
  for (let i = 0; i < colours.length; i++) {
    const colour = pixels.readUIntBE(i * channels, 3)
    colours[i] = colour
    counts.set(colour, (counts.get(colour) ?? 0) + 1)
  }
  const palette = chosen([...counts].toSorted(([, a], [, b]) => b - a).map(([colour]) => colour))
  const places = new Map(palette.map((colour, at) => [colour, at]))
  const placeOf = (colour: number) => {
    let place = places.get(colour)
    if (place === undefined) places.set(colour, (place = nearest(colour, palette)))
    return place
  }
  const rows = Buffer.alloc((width + 1) * height)
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) rows[y * (width + 1) + 1 + x] = placeOf(colours[y * width + x] ?? 0)
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 3], 8)
  const table = Buffer.from(palette.flatMap(partsOf))
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('PLTE', table),
    chunk('IDAT', deflateSync(rows, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

const partsOf = (colour: number) => [colour >> 16, (colour >> 8) & 255, colour & 255] as const

/** Closer than this, two colours look the same. */
const APART = 20 ** 2

/** The most frequent ones, but rare ones that are like no other first: a red cross stays red. */
function chosen(byCount: readonly number[]): readonly number[] {
  const palette: number[] = []
  for (const colour of byCount)
    if (palette.every((one) => distance(one, colour) > APART)) palette.push(colour)
  return [...new Set([...palette, ...byCount])].slice(0, MOST_COLOURS)
}

function distance(one: number, other: number): number {
  const [[a, b, c], [d, e, f]] = [partsOf(one), partsOf(other)]
  return (a - d) ** 2 + (b - e) ** 2 + (c - f) ** 2
}

function nearest(colour: number, palette: readonly number[]): number {
  const distances = palette.map((one) => distance(one, colour))
  return distances.indexOf(Math.min(...distances))
}

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type), data])
  const framed = Buffer.alloc(named.length + 8)
  framed.writeUInt32BE(data.length, 0)
  named.copy(framed, 4)
  framed.writeUInt32BE(crc32(named), named.length + 4)
  return framed
}

function decode(png: Buffer) {
  const parts: Buffer[] = []
  for (let at = SIGNATURE.length; at < png.length;) {
    const length = png.readUInt32BE(at)
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT') parts.push(png.subarray(at + 8, at + 8 + length))
    at += length + 12
  }
  const width = png.readUInt32BE(16)
  const height = png.readUInt32BE(20)
  const channels = png[25] === 6 ? 4 : 3
  const stride = width * channels
  const raw = inflateSync(Buffer.concat(parts))
  const pixels = Buffer.alloc(stride * height)
  for (let y = 0; y < height; y++) {
    const filter = raw[y * (stride + 1)] ?? 0
    for (let x = 0; x < stride; x++) {
      const at = y * stride + x
      const left = x < channels ? 0 : (pixels[at - channels] ?? 0)
      const above = y === 0 ? 0 : (pixels[at - stride] ?? 0)
      const corner = x < channels || y === 0 ? 0 : (pixels[at - stride - channels] ?? 0)
      pixels[at] = (raw[y * (stride + 1) + 1 + x] ?? 0) + predicted(filter, left, above, corner)
    }
  }
  return { width, height, channels, pixels }
}

function predicted(filter: number, left: number, above: number, corner: number): number {
  switch (filter) {
    case 1:
      return left
    case 2:
      return above
    case 3:
      return (left + above) >> 1
    case 4: {
      const guess = left + above - corner
      const [a, b, c] = [Math.abs(guess - left), Math.abs(guess - above), Math.abs(guess - corner)]
      return a <= b && a <= c ? left : b <= c ? above : corner
    }
    default:
      return 0
  }
}
