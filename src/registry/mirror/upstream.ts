/** What the mirror needs of the outside. */
export interface Upstream {
  /** A small document as text. NOT_FOUND for 404; UPSTREAM_FAILED for everything else that is no answer. */
  text(url: URL, maxBytes: number): Promise<string>
  /** A file in chunks. Throws in the middle if it breaks off. */
  stream(url: URL): Promise<AsyncIterable<Uint8Array>>
}
