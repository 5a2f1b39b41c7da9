/** The built modules and style sheets, as pages refer to them and as they are served. Sources are named below `src/web`. */
export type Web = {
  /** The address of a module or a style sheet: `pay/main.ts` is at `/assets/main-….js`. */
  asset(source: string): string
  /** The addresses of what a module imports, for `modulepreload`: otherwise the browser finds them one after the other. */
  preloads(source: string): readonly string[]
  /** The text of a style sheet, for a page that inlines it. */
  styleText(source: string): string
  /** A file below `/assets/`. */
  file(name: string): AssetFile | undefined
}

/** A file in each encoding. */
export type AssetFile = {
  readonly type: string
  readonly identity: Uint8Array<ArrayBuffer>
  readonly gzip: Uint8Array<ArrayBuffer>
  readonly br: Uint8Array<ArrayBuffer>
}
