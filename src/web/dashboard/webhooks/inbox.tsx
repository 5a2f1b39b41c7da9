import type { InboxRequest } from '../../api/calls.ts'
import { Badge } from '../../parts/badge.tsx'
import { CodeBlock } from '../../parts/code.tsx'
import { Moment } from '../../parts/moment.tsx'
import { SkeletonRows } from '../../parts/skeleton.tsx'
import { useShopQuery } from '../shell/queries.ts'
import { Section } from '../shell/record.tsx'
import { Result } from '../shell/result.tsx'
import { useWebhooksTexts } from './texts.ts'

/** The requests that have arrived at the inbox of the shop, newest first. */
export const Inbox = ({ endpointId }: { readonly endpointId: string }) => {
  const texts = useWebhooksTexts()
  const result = useShopQuery(['webhooks', 'inbox', endpointId], ({ call, merchantId }, signal) =>
    call('listInboxRequests', { merchantId, id: endpointId }, { signal }),
  ).value
  return (
    <Section title={texts.inboxTitle} aside={texts.inboxWhat}>
      <Result result={result} skeleton={<SkeletonRows rows={4} />}>
        {({ data }) =>
          data.length === 0 ? (
            <p class="quiet">{texts.inboxEmpty}</p>
          ) : (
            <ol class="attempts">
              {data.map(each => (
                <li key={each.id}>
                  <OneRequest request={each} />
                </li>
              ))}
            </ol>
          )
        }
      </Result>
    </Section>
  )
}

const OneRequest = ({ request: { body, headers, receivedAt, signatureValid } }: { readonly request: InboxRequest }) => {
  const texts = useWebhooksTexts()
  return (
    <details class="attempt">
      <summary>
        <b>{typeIn(body) ?? texts.body}</b>
        {signatureValid ? (
          <Badge shape="done" tone="good">
            {texts.signed}
          </Badge>
        ) : (
          <Badge shape="warn" tone="warn">
            {texts.notSigned}
          </Badge>
        )}
        <span class="quiet">
          <Moment at={receivedAt} />
        </span>
      </summary>
      <h3>{texts.headers}</h3>
      <CodeBlock
        text={Object.entries(headers)
          .map(([name, value]) => `${name}: ${value}`)
          .join('\n')}
        label={texts.headers}
      />
      <h3>{texts.body}</h3>
      <CodeBlock text={pretty(body)} label={texts.body} />
    </details>
  )
}

/** Returns undefined if the body is not JSON: anyone with the URL can post any content. */
const parse = (body: string): unknown => {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

const typeIn = (body: string): string | undefined => {
  const { type } = Object(parse(body)) as { type?: unknown }
  return typeof type === 'string' ? type.slice(0, 100) : undefined
}

const pretty = (body: string): string => {
  const json = parse(body)
  return json === undefined ? body : JSON.stringify(json, null, 2)
}
