import { useCallback, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { SummedInvoice } from '../../../billing/invoice-sums.ts'
import type { BillingSettings } from '../../api/calls.ts'
import { Icon } from '../../parts/icon.tsx'
import { useReader } from '../../parts/reader.ts'
import { useAddress } from '../shell/shop.ts'
import { useInvoiceEditorTexts } from './editor-texts.ts'
import { type InvoiceDraft, MOST_LINES, MOST_REPEATED_LINES, newLine } from './invoice-draft.ts'
import { type LineEditing, LineFields, type LineFieldsProps } from './line-fields.tsx'
import { ratePercent } from './sum-rows.tsx'

type Lines = InvoiceDraft['lines']

type LinesFieldsetProps = {
  readonly lines: Lines
  readonly currency: string
  readonly summed: SummedInvoice
  readonly settings: BillingSettings
  readonly isChecked: boolean
  /** The parameter that the server has refused, such as `lines.3.quantity`. */
  readonly refused: string | undefined
  /** Never another function: otherwise each key would draw all lines. */
  readonly onLines: (update: (lines: Lines) => Lines) => void
  /** Lines of a plan: fewer, and without periods of their own. */
  readonly isRepeated: boolean
}

/** The lines, with keys to add, move and remove them. */
export const LinesFieldset = (props: LinesFieldsetProps) => {
  const { lines, currency, summed, settings, isChecked, refused, onLines, isRepeated } = props
  const most = isRepeated ? MOST_REPEATED_LINES : MOST_LINES
  const texts = useInvoiceEditorTexts()
  const { locale } = useReader()
  const address = useAddress()
  const list = useRef<HTMLDivElement>(null)
  const [said, setSaid] = useState('')
  /** The field that gets the focus when the lines have been drawn. */
  const focus = useRef<{ readonly key: number; readonly name: string }>(undefined)
  const now = useRef(lines)
  now.current = lines
  const words = useRef(texts)
  words.current = texts

  useLayoutEffect(() => {
    const wanted = focus.current
    if (!wanted) return
    focus.current = undefined
    const line = list.current?.querySelector(`[data-line="${wanted.key}"]`)
    const field = line?.querySelector<HTMLElement>(wanted.name)
    field?.focus()
    field?.closest('fieldset')?.scrollIntoView({ block: 'nearest' })
  })

  const add = useCallback(() => {
    if (now.current.length >= most) return
    const line = newLine(settings)
    focus.current = { key: line.key, name: '[name="description"]' }
    onLines(all => [...all, line])
  }, [settings, onLines, most])

  const editing = useMemo<LineEditing>(() => {
    const placeOf = (key: number) => now.current.findIndex(each => each.key === key)
    return {
      change: (key, changes) => onLines(all => all.map(each => (each.key === key ? { ...each, ...changes } : each))),
      move: (key, step) => {
        const [from, to] = [placeOf(key), placeOf(key) + step]
        if (to < 0 || to >= now.current.length) return
        focus.current = { key, name: selectorOf(document.activeElement) }
        setSaid(words.current.moved(from + 1, to + 1))
        onLines(all => all.toSpliced(from, 1).toSpliced(to, 0, ...all.slice(from, from + 1)))
      },
      remove: key => {
        const at = placeOf(key)
        const neighbor = now.current[at + 1] ?? now.current[at - 1]
        if (!neighbor) return
        focus.current = { key: neighbor.key, name: '[name="description"]' }
        setSaid(words.current.removed(at + 1))
        onLines(all => all.filter(each => each.key !== key))
      },
      next: key => {
        const following = now.current[placeOf(key) + 1]
        if (!following) return add()
        list.current?.querySelector<HTMLElement>(`[data-line="${following.key}"] [name="description"]`)?.focus()
      },
    }
  }, [onLines, add])

  const refusedIn = (at: number): string | undefined => {
    const [field, index, name] = refused?.split('.') ?? []
    return field === 'lines' && Number(index) === at ? name : undefined
  }
  return (
    <fieldset class="form lines">
      <legend class="legend">{texts.lines}</legend>
      <p class="quiet">{texts.linesHint}</p>
      <p class="quiet">
        {texts.taxDefault(ratePercent(settings.taxRateBps, locale))}{' '}
        <a href={`${address('settings')}?part=billing`}>{texts.changeDefault}</a>
      </p>
      <div ref={list}>
        {lines.map((line, at) => (
          <Line
            key={line.key}
            line={line}
            n={at + 1}
            isLast={at === lines.length - 1}
            isOnly={lines.length === 1}
            isChecked={isChecked}
            refused={refusedIn(at)}
            amountMinor={summed.ok ? summed.sums.lines[at]?.amountMinor : undefined}
            currency={currency}
            editing={editing}
            hasPeriod={!isRepeated}
          />
        ))}
      </div>
      <p class="sr" role="status">
        {said}
      </p>
      {lines.length < most ? (
        <div class="buttons">
          <button type="button" class="button" onClick={add}>
            <Icon name="plus" small />
            {texts.addLine}
          </button>
        </div>
      ) : (
        <p class="quiet">{texts.noMoreLines(most)}</p>
      )}
    </fieldset>
  )
}

/** Drawn again only if something of this line has changed: a hundred lines take longer than the time between two keys. */
const Line = (props: LineFieldsProps) => useMemo(() => <LineFields {...props} />, Object.values(props))

/** The same field or button in the drawn line. */
const selectorOf = (element: Element | null): string => {
  const name = element?.getAttribute('name')
  if (name) return `[name="${name}"]`
  return element?.classList.contains('line__up') ? '.line__up' : '.line__up + button'
}
