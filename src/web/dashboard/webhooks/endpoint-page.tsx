import { useState } from 'preact/hooks'
import { useLocation, useRoute } from 'preact-iso'
import type { WebhookDelivery, WebhookEndpoint } from '../../api/calls.ts'
import { ShortHex } from '../../parts/address.tsx'
import { Badge } from '../../parts/badge.tsx'
import { CopyButton } from '../../parts/copy.tsx'
import { ErrorNote } from '../../parts/error-note.tsx'
import type { MenuItem } from '../../parts/menu.tsx'
import { Moment } from '../../parts/moment.tsx'
import { NoteBox } from '../../parts/note.tsx'
import { useReader } from '../../parts/reader.ts'
import { SkeletonRows } from '../../parts/skeleton.tsx'
import { showToast } from '../../parts/toast.tsx'
import { DeliveriesTable } from '../deliveries/deliveries-table.tsx'
import { type EndpointHealth, healthOf } from '../deliveries/endpoint-health.ts'
import { nameOfEndpoint } from '../deliveries/endpoint-name.ts'
import { useDeliveriesTexts } from '../deliveries/texts.ts'
import { useEventTypesTexts } from '../event-types/texts.ts'
import { RotateDialog } from '../secrets/rotate-dialog.tsx'
import { SecretDialog } from '../secrets/secret-dialog.tsx'
import { type Action, useAction } from '../shell/action.ts'
import { Confirm } from '../shell/confirm.tsx'
import { shownFailure } from '../shell/failure.ts'
import { OwnersNote } from '../shell/owners-note.tsx'
import { PageHead } from '../shell/page-head.tsx'
import { useRefresh, useShopQuery } from '../shell/queries.ts'
import { Facts, Section } from '../shell/record.tsx'
import { Result } from '../shell/result.tsx'
import { RowMenu } from '../shell/row-actions.tsx'
import { useAddress, useCanWrite, useScope, useShop } from '../shell/shop.ts'
import { ChangeTypes } from './change-types.tsx'
import { EndpointBadge } from './endpoint-badge.tsx'
import { HealthBadge, useFailingText, useLatestDeliveries } from './health.tsx'
import { Inbox } from './inbox.tsx'
import { sendTest } from './open-inbox.ts'
import { Recover } from './recover.tsx'
import { useWebhooksTexts } from './texts.ts'
import { VerifyCode } from './verify-code.tsx'

export const EndpointPage = () => {
  const { id = '' } = useRoute().params
  const texts = useWebhooksTexts()
  const address = useAddress()
  const { session } = useShop()
  const { merchantId } = useScope()
  const canWrite = useCanWrite()
  const refresh = useRefresh()
  const action = useAction()
  const [isTesting, setTesting] = useState(false)
  const [tested, setTested] = useState<WebhookDelivery>()
  const result = useShopQuery(['webhooks', 'one', id], ({ call, merchantId }, signal) =>
    call('getWebhookEndpoint', { merchantId, id }, { signal }),
  ).value
  const endpoint = result.data
  const test = () =>
    void action.run(async () => {
      setTested(undefined)
      setTesting(true)
      setTested(await sendTest(session, merchantId, id).finally(() => setTesting(false)))
      await Promise.all([refresh('deliveries'), refresh('webhooks')])
    })
  return (
    <>
      <PageHead
        title={endpoint ? nameOfEndpoint(endpoint, texts.inbox) : texts.endpoint}
        back={{ href: address('webhooks'), label: texts.title }}
        lead={
          <span class="sub">
            {endpoint && <EndpointBadge endpoint={endpoint} />}
            {endpoint?.description}
            <ShortHex value={id} what={texts.id} />
          </span>
        }
        actions={canWrite && endpoint && <Actions endpoint={endpoint} action={action} onTest={test} />}
      />
      <OwnersNote />
      {action.error !== undefined && <ErrorNote failure={shownFailure(action.error)} />}
      <div role="status">
        {isTesting && <p class="quiet">{texts.test.running}</p>}
        {tested && <TestResult sent={tested} />}
      </div>
      <Result result={result} skeleton={<SkeletonRows rows={10} />}>
        {found => <OneEndpoint endpoint={found} />}
      </Result>
    </>
  )
}

/** What the test event came to, where it was sent. */
const TestResult = ({ sent }: { readonly sent: WebhookDelivery }) => {
  const { test } = useWebhooksTexts()
  const { outcomes, answeredIn } = useDeliveriesTexts()
  const { formats } = useReader()
  const address = useAddress()
  const { id } = sent
  const { data } = useShopQuery(['deliveries', 'one', id], ({ call, merchantId }, signal) =>
    call('getWebhookDelivery', { merchantId, id }, { signal }),
  ).value
  const last = (data ?? sent).attempts.at(-1)
  if (last?.outcome == null) return <p class="quiet">{test.running}</p>
  const isGood = last.outcome === 'delivered'
  const answer = last.httpStatus === null ? undefined : answeredIn(last.httpStatus, formats.count(last.durationMs ?? 0))
  return (
    <NoteBox
      title={isGood ? test.good : test.bad}
      tone={isGood ? 'good' : 'bad'}
      actions={
        <a class="button button--small" href={address('deliveries', id)}>
          {test.open}
        </a>
      }
    >
      {isGood ? test.goodWhat(answer ?? '') : `${[outcomes[last.outcome], answer].filter(Boolean).join(': ')}.`}
    </NoteBox>
  )
}

type Open = 'disable' | 'delete' | 'rotate' | 'recover' | 'types'

type ActionsProps = { readonly endpoint: WebhookEndpoint; readonly action: Action; readonly onTest: () => void }

const Actions = ({ endpoint, action, onTest }: ActionsProps) => {
  const texts = useWebhooksTexts()
  const { session } = useShop()
  const { merchantId } = useScope()
  const { route } = useLocation()
  const address = useAddress()
  const refresh = useRefresh()
  const [open, setOpen] = useState<Open>()
  const [secret, setSecret] = useState<string>()
  const { id, status } = endpoint
  const isEnabled = status === 'enabled'
  const close = () => setOpen(undefined)
  const enable = () =>
    void action.run(async () => {
      await session.call('enableWebhookEndpoint', { merchantId, id })
      await refresh('webhooks')
      showToast(texts.enabledDone)
    })
  const items: readonly MenuItem[] = [
    { label: texts.changeTypes, onSelect: () => setOpen('types') },
    { label: texts.rotate, onSelect: () => setOpen('rotate') },
    ...(isEnabled
      ? [
          { label: texts.recoverTitle, onSelect: () => setOpen('recover') },
          { label: texts.disable, onSelect: () => setOpen('disable') },
        ]
      : []),
    { label: texts.delete, onSelect: () => setOpen('delete'), danger: true },
  ]
  return (
    <>
      {isEnabled ? (
        <button type="button" class="button" aria-disabled={action.isRunning} onClick={onTest}>
          {texts.sendTest}
        </button>
      ) : (
        <button type="button" class="button button--primary" aria-disabled={action.isRunning} onClick={enable}>
          {texts.enable}
        </button>
      )}
      <RowMenu name={endpoint.url} items={items} />
      <ChangeTypes endpoint={endpoint} open={open === 'types'} onClose={close} />
      <Recover endpointId={id} open={open === 'recover'} onClose={close} />
      <RotateDialog
        open={open === 'rotate'}
        title={texts.rotateTitle}
        what={texts.rotateWhat}
        yes={texts.rotate}
        onClose={close}
        onRotate={async overlapHours => {
          const made = await session.call('rotateWebhookSecret', { merchantId, id, overlapHours })
          await refresh('webhooks')
          setSecret(made.signingSecret)
        }}
      />
      <Confirm
        open={open === 'disable'}
        title={texts.disableTitle}
        no={texts.cancel}
        yes={texts.disable}
        danger
        onClose={close}
        onYes={async () => {
          await session.call('updateWebhookEndpoint', { merchantId, id, status: 'disabled' })
          await Promise.all([refresh('webhooks'), refresh('deliveries')])
          showToast(texts.disableDone)
        }}
      >
        {texts.disableWhat}
      </Confirm>
      <Confirm
        open={open === 'delete'}
        title={texts.deleteTitle}
        no={texts.cancel}
        yes={texts.delete}
        danger
        onClose={close}
        onYes={async () => {
          await session.call('deleteWebhookEndpoint', { merchantId, id })
          await refresh('webhooks')
          showToast(texts.deleteDone)
          route(address('webhooks'), true)
        }}
      >
        {texts.deleteWhat}
      </Confirm>
      <SecretDialog
        secret={secret}
        title={texts.secretTitle}
        lead={texts.secretWhat}
        onClose={() => setSecret(undefined)}
      >
        <VerifyCode />
      </SecretDialog>
    </>
  )
}

const OneEndpoint = ({ endpoint }: { readonly endpoint: WebhookEndpoint }) => {
  const texts = useWebhooksTexts()
  const address = useAddress()
  const { about } = useEventTypesTexts()
  const { id, url, eventTypes, inbox, createdAt } = endpoint
  const deliveries = useLatestDeliveries(id)
  const health = healthOf(deliveries.data?.data ?? [])
  const failing = useFailingText(health)
  return (
    <div class="split">
      <div>
        {inbox && <Inbox endpointId={id} />}
        <Section
          title={texts.latest}
          aside={<a href={`${address('deliveries')}?endpoint=${id}`}>{texts.allOfEndpoint}</a>}
        >
          <Result result={deliveries} skeleton={<SkeletonRows rows={4} />}>
            {({ data }) =>
              data.length === 0 ? <p class="quiet">{texts.noDeliveries}</p> : <DeliveriesTable rows={data} />
            }
          </Result>
        </Section>
        <Section title={texts.code}>
          <VerifyCode />
        </Section>
      </div>
      <div>
        <Section title={texts.details}>
          <Facts
            facts={[
              [
                texts.health,
                endpoint.status === 'disabled' ? (
                  <Badge shape="off">{texts.disabled}</Badge>
                ) : (
                  <>
                    <HealthBadge health={health} />
                    {failing !== undefined && <span class="under">{failing}</span>}
                  </>
                ),
              ],
              [texts.lastAnswer, <LastAnswer health={health} />],
              [
                texts.url,
                <>
                  {url} <CopyButton value={url} what={texts.url} />
                </>,
              ],
              [texts.created, <Moment at={createdAt} />],
            ]}
          />
        </Section>
        <Section title={texts.types}>
          <ul class="types">
            {eventTypes.map(type => (
              <li key={type}>
                <code>{type}</code>
                <p class="quiet">{about[type]}</p>
              </li>
            ))}
          </ul>
        </Section>
      </div>
    </div>
  )
}

const LastAnswer = ({ health }: { readonly health: EndpointHealth }) => {
  const { outcomes, answeredIn } = useDeliveriesTexts()
  const { formats } = useReader()
  if (health.state === 'unused' || health.last.outcome === null) return '–'
  const { outcome, httpStatus, durationMs, startedAt } = health.last
  return (
    <>
      {httpStatus === null ? outcomes[outcome] : answeredIn(httpStatus, formats.count(durationMs ?? 0))}
      <span class="under">
        <Moment at={startedAt} />
      </span>
    </>
  )
}
