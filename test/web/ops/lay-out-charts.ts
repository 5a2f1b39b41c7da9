import elkjs, { type ElkExtendedEdge, type ElkNode } from 'elkjs/lib/elk.bundled.js'
import type { Kind } from '../../../src/actors/kind.ts'
import { kinds } from '../../../src/kinds/all.ts'
import { type Arrow, arrowsOf, statesOf } from '../../../src/kinds/definition.ts'
import { boxSizeOf, type Chart, type ChartPoint, labelLines } from '../../../src/web/ops/machines/chart.ts'

/**
 * The places of the states and arrows of every machine, as `bun run charts` writes them. They are computed here, so that
 * no layout library reaches a browser.
 */
export const layOutCharts = async (all: readonly Kind[] = kinds): Promise<string> => {
  const charts: Record<string, Chart> = {}
  for (const kind of all) charts[kind.name] = await layOut(kind)
  return [
    "import type { Chart } from './chart.ts'\n",
    '/** Written by `bun run charts` from the machines. A test fails if it is not up to date. */',
    `export const charts: Readonly<Record<string, Chart>> = ${JSON.stringify(charts)}\n`,
  ].join('\n')
}

const START = '[start]'
const START_SIZE = 10
const LETTER_WIDTH = 6.7
const LINE_HEIGHT = 16
/** Between an arrow and its label: arrows are drawn thicker the more often they are taken. */
const GAP = 8

const layOut = async (kind: Kind): Promise<Chart> => {
  const arrows = arrowsOf(kind)
  const elk = new elkjs.default()
  const initial = kind.machine.root.initial.target[0]?.key ?? ''
  const whole: ElkNode = await elk.layout({
    id: kind.name,
    layoutOptions: options,
    children: [
      { id: START, width: START_SIZE, height: START_SIZE },
      ...statesOf(kind).map(({ state }) => ({ id: state, ...boxSizeOf(state) })),
    ],
    edges: [{ id: START, sources: [START], targets: [initial] }, ...arrows.map(edgeOf)],
  })
  return {
    width: rounded(whole.width),
    height: rounded(whole.height),
    start: pointsOf(whole.edges?.[0]),
    states: Object.fromEntries(statesOf(kind).map(({ state }) => [state, placeOf(state, whole)])),
    arrows: arrows.map(({ from, to }, n) => {
      const edge = whole.edges?.[n + 1]
      const label = edge?.labels?.[0]
      return { from, to, points: pointsOf(edge), label: [rounded(label?.x) + GAP, rounded(label?.y)] }
    }),
  }
}

/** Close together, so that the widest chart fits beside the navigation of a window of 1280 pixels. */
const options = {
  'elk.algorithm': 'layered',
  'elk.direction': 'DOWN',
  'elk.edgeRouting': 'ORTHOGONAL',
  'elk.layered.cycleBreaking.strategy': 'MODEL_ORDER',
  'elk.layered.considerModelOrder.strategy': 'NODES_AND_EDGES',
  'elk.layered.nodePlacement.strategy': 'BRANDES_KOEPF',
  'elk.layered.nodePlacement.bk.fixedAlignment': 'BALANCED',
  'elk.layered.spacing.nodeNodeBetweenLayers': '36',
  'elk.layered.spacing.edgeNodeBetweenLayers': '20',
  'elk.spacing.nodeNode': '24',
  'elk.spacing.edgeNode': '12',
  'elk.spacing.edgeEdge': '8',
  'elk.spacing.edgeLabel': '2',
  'elk.padding': '[top=8,left=8,bottom=8,right=8]',
}

const edgeOf = (arrow: Arrow, n: number): ElkExtendedEdge => {
  const lines = labelLines(arrow.events)
  const letters = Math.max(...lines.map(line => line.length))
  return {
    id: String(n),
    sources: [arrow.from],
    targets: [arrow.to],
    // One line more, for how often it was taken.
    labels: [
      { text: lines.join('\n'), width: letters * LETTER_WIDTH + 2 * GAP, height: (lines.length + 1) * LINE_HEIGHT },
    ],
  }
}

const pointsOf = (edge: ElkExtendedEdge | undefined): readonly ChartPoint[] =>
  (edge?.sections ?? []).flatMap(({ startPoint, bendPoints = [], endPoint }) =>
    [startPoint, ...bendPoints, endPoint].map(({ x, y }) => [rounded(x), rounded(y)] as const),
  )

const placeOf = (state: string, { children = [] }: ElkNode): ChartPoint => {
  const { x, y } = children.find(({ id }) => id === state) ?? {}
  return [rounded(x), rounded(y)]
}

const rounded = (length = 0): number => Math.round(length)
