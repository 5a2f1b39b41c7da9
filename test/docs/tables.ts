import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../..', import.meta.url))

export const readText = (path: string): string => readFileSync(`${root}${path}`, 'utf8')

/** The rows of all Markdown tables below a heading, up to the next heading of the same or a higher level. */
export const tableRows = (document: string, heading: string): readonly (readonly string[])[] => {
  const lines = sectionOf(document, heading)
  return lines
    .filter((line, n) => line.startsWith('|') && !isRule(line) && !isRule(lines[n + 1]))
    .map(line => line.slice(1, -1).split('|'))
    .map(cells => cells.map(cell => cell.trim()))
}

/** The line below the header of a table. */
const isRule = (line = ''): boolean => /^\|[-| ]+\|$/.test(line)

const sectionOf = (document: string, heading: string): readonly string[] => {
  const lines = document.replace(/^```.*?^```$/gms, '').split('\n')
  const start = lines.findIndex(line => /^#+ /.test(line) && line.replace(/^#+ /, '') === heading)
  if (start < 0) throw new Error(`there is no heading "${heading}"`)
  const rest = lines.slice(start + 1)
  const length = rest.findIndex(line => levelOf(line) <= levelOf(lines[start]))
  return length < 0 ? rest : rest.slice(0, length)
}

const levelOf = (line = ''): number => /^(#+) /.exec(line)?.[1]?.length ?? Number.POSITIVE_INFINITY

/** The text between the first backticks of a cell, or the whole cell. */
export const codeIn = (cell = ''): string => /`([^`]+)`/.exec(cell)?.[1] ?? cell
