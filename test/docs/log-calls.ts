import { Glob } from 'bun'
import { readText, root } from './tables.ts'

/** A message that the program logs. `message` is undefined if it is no literal in the call. */
export type LogCall = { readonly at: string; readonly level: string; readonly message: string | undefined }

/** All log calls, found in the text of the source. */
export const findLogCalls = async (): Promise<readonly LogCall[]> => {
  const paths = (await Array.fromAsync(new Glob('{src,tasks}/**/*.ts').scan(root))).sort()
  return paths.flatMap(path => logCallsIn(path, readText(path)))
}

export const logCallsIn = (path: string, source: string): readonly LogCall[] => [
  ...[...source.matchAll(/\blog\??(?:\.(trace|debug|info|warn|error|fatal)|\[[^;]*?\])\(/g)].map(call => ({
    at: path,
    level: call[1] ?? 'any',
    message: textOf(argumentsFrom(source, call.index + call[0].length).at(-1)),
  })),
  // Two functions log for their callers.
  ...[...source.matchAll(/\bwarnOnce\(\s*(?=services\b)/g)].map(call => ({
    at: path,
    level: 'warn',
    message: textOf(argumentsFrom(source, call.index + call[0].length).at(-1)),
  })),
  ...[...source.matchAll(/\bfailureMessage: '([^']+)',?\s*\}/g)].map(([, message]) => ({
    at: path,
    level: 'error',
    message,
  })),
]

/** The arguments of a call, after its opening parenthesis. */
const argumentsFrom = (source: string, start: number): readonly string[] => {
  const found: string[] = []
  let begin = start
  let quote = ''
  for (let at = start, depth = 0; at < source.length; at++) {
    const char = source[at] ?? ''
    if (quote) {
      if (char === '\\') at++
      else if (char === quote) quote = ''
    } else if (/['"`]/.test(char)) quote = char
    else if (/[([{]/.test(char)) depth++
    else if (depth === 0 && /[,)]/.test(char)) {
      found.push(source.slice(begin, at).trim())
      begin = at + 1
      if (char === ')') break
    } else if (/[)\]}]/.test(char)) depth--
  }
  return found.filter(Boolean)
}

const textOf = (argument = ''): string | undefined => /^'((?:[^'\\]|\\.)*)'$/s.exec(argument)?.[1]
