import { useEffect, useRef, useState } from 'preact/hooks'
import { isDay } from '../../../billing/days.ts'
import { periodStart } from '../../../billing/periods.ts'
import type { Event, TestClock } from '../../api/calls.ts'
import { ErrorNote } from '../../parts/error-note.tsx'
import { Icon } from '../../parts/icon.tsx'
import { useReader } from '../../parts/reader.ts'
import { DayField } from '../invoices/line-fields.tsx'
import { useAction } from '../shell/action.ts'
import { refusedField, shownFailure } from '../shell/failure.ts'
import { FormDialog } from '../shell/form-dialog.tsx'
import { useRefresh } from '../shell/queries.ts'
import { useAddress, useCanWrite, useScope, useShop } from '../shell/shop.ts'
import { useTestClocksTexts } from './texts.ts'
import { useClock } from './use-clock.ts'

type ClockBarProps = {
  readonly id: string
  readonly customerId: string
  /** When something ends or begins next, of what is shown. */
  readonly boundaries: readonly (string | null)[]
}

const steps = ['day', 'week', 'month'] as const

/** In test mode, the time of a customer: it is advanced here, and what happened meanwhile is listed. */
export const ClockBar = ({ id, customerId, boundaries }: ClockBarProps) => {
  const texts = useTestClocksTexts()
  const { formats } = useReader()
  const { session } = useShop()
  const scope = useScope()
  const canWrite = useCanWrite()
  const refresh = useRefresh()
  const action = useAction()
  const [isChoosing, setChoosing] = useState(false)
  const { data: clock, error } = useClock(id)
  const happened = useHappened(clock, customerId)
  if (error && !clock) return <p class="clock quiet">{texts.gone}</p>
  if (!clock) return <div class="clock" aria-busy="true" />
  const isAdvancing = clock.status === 'advancing'
  const now = new Date(clock.now)
  const next = boundaries.flatMap(at => (at !== null && new Date(at) > now ? [at] : [])).sort()[0]
  const advance = (to: Date) =>
    action.run(async () => {
      try {
        await happened.begin()
        await session.call('advanceTestClock', { merchantId: scope.merchantId, id, to: to.toISOString() })
      } finally {
        await refresh('test-clocks')
      }
      happened.follow()
    })
  return (
    <section class="clock" aria-label={texts.title}>
      <p class="clock__time" role="status">
        <Icon name="clock" small />
        <b>{texts.title}</b>
        <span>{(isAdvancing ? texts.advancing : texts.now)(formats.exact(clock.now))}</span>
      </p>
      <p class="quiet">{isAdvancing ? texts.waits : texts.what}</p>
      {canWrite && (
        <div class="buttons">
          {next !== undefined && (
            <button
              type="button"
              class="button button--small button--primary"
              aria-disabled={isAdvancing || action.isRunning}
              onClick={() => !isAdvancing && void advance(new Date(next))}
            >
              {texts.next(formats.date(next))}
            </button>
          )}
          {steps.map(interval => (
            <button
              key={interval}
              type="button"
              class="button button--small"
              aria-label={texts.byLabel[interval]}
              aria-disabled={isAdvancing || action.isRunning}
              onClick={() => !isAdvancing && void advance(periodStart(now, { interval, intervalCount: 1 }, 1))}
            >
              + {texts.by[interval]}
            </button>
          ))}
          <button
            type="button"
            class="button button--small"
            aria-disabled={isAdvancing || action.isRunning}
            onClick={() => !isAdvancing && setChoosing(true)}
          >
            {texts.toDay}
          </button>
        </div>
      )}
      {action.error !== undefined && !isChoosing && <ErrorNote failure={shownFailure(action.error)} />}
      {!isAdvancing && happened.events && <Happened events={happened.events} />}
      {isChoosing && (
        <ToDayDialog
          clock={clock}
          action={action}
          onDay={advance}
          onClose={() => {
            setChoosing(false)
            action.reset()
          }}
        />
      )}
    </section>
  )
}

const MOST = 100

/** The events of a customer since the clock was advanced, oldest first. */
const useHappened = (clock: TestClock | null | undefined, customerId: string) => {
  const { session } = useShop()
  const scope = useScope()
  const refresh = useRefresh()
  const [events, setEvents] = useState<readonly Event[]>()
  /** The latest event before. */
  const before = useRef<{ readonly id: string | undefined }>(undefined)
  const isReady = clock?.status === 'ready'
  const [isBegun, setBegun] = useState(false)
  useEffect(() => {
    if (!isReady || !isBegun) return
    const { id } = before.current ?? {}
    void (async () => {
      const { data } = await session.call('listEvents', {
        ...{ ...scope, order: 'asc', limit: MOST },
        ...(id !== undefined && { startingAfter: id }),
      })
      setEvents(data.filter(event => isOfCustomer(event, customerId)))
      setBegun(false)
      await Promise.all([refresh('subscriptions'), refresh('invoices'), refresh('customers'), refresh('events')])
    })().catch(() => setBegun(false))
  }, [isReady, isBegun, clock?.updatedAt])
  return {
    events,
    begin: async () => {
      setEvents(undefined)
      const { data } = await session.call('listEvents', { ...scope, limit: 1 })
      before.current = { id: data[0]?.id }
    },
    follow: () => setBegun(true),
  }
}

const isOfCustomer = ({ data: { object } }: Event, customerId: string): boolean =>
  object.id === customerId || ('customerId' in object && object.customerId === customerId)

const Happened = ({ events }: { readonly events: readonly Event[] }) => {
  const texts = useTestClocksTexts()
  const { formats } = useReader()
  const address = useAddress()
  return (
    <div role="status">
      <p>{events.length === 0 ? texts.doneNone : texts.done(events.length, formats.count(events.length))}</p>
      <ul class="clock__events">
        {events.map(({ id, type }) => (
          <li key={id}>
            <a href={address('events', id)}>{type}</a>
          </li>
        ))}
      </ul>
    </div>
  )
}

type ToDayDialogProps = {
  readonly clock: TestClock
  readonly action: ReturnType<typeof useAction>
  readonly onDay: (day: Date) => Promise<boolean>
  readonly onClose: () => void
}

const ToDayDialog = ({ clock, action, onDay, onClose }: ToDayDialogProps) => {
  const texts = useTestClocksTexts()
  const { formats } = useReader()
  const [day, setDay] = useState('')
  const [isChecked, setChecked] = useState(false)
  const isRefused = refusedField(action.error) === 'to'
  return (
    <FormDialog
      open
      title={texts.toTitle}
      no={texts.no}
      yes={texts.yes}
      action={action}
      isAtField={isRefused}
      onSubmit={async () => {
        setChecked(true)
        if (isDay(day) && (await onDay(new Date(day)))) onClose()
      }}
      onClose={onClose}
    >
      <p>
        {texts.now(formats.exact(clock.now))}. {texts.toWhat}
      </p>
      <DayField
        label={texts.day}
        optional={false}
        name="day"
        hint={texts.dayHint}
        value={day}
        onInput={event => setDay(event.currentTarget.value)}
        error={isChecked && !isDay(day) ? texts.dayWrong : isRefused ? texts.dayRefused : undefined}
      />
    </FormDialog>
  )
}
