import type { ComponentChildren } from 'preact'
import { CodeBlock } from '../../parts/code.tsx'
import { CopyButton } from '../../parts/copy.tsx'
import { useShop } from './shop.ts'
import { useTexts } from './texts.ts'

type SectionProps = { readonly title: string; readonly aside?: ComponentChildren; readonly children: ComponentChildren }

/** A part of a record's page. */
export const Section = ({ title, aside, children }: SectionProps) => (
  <section class="section" aria-label={title}>
    <header>
      <h2>{title}</h2>
      {aside !== undefined && <p>{aside}</p>}
    </header>
    {children}
  </section>
)

type Fact = readonly [label: ComponentChildren, value: ComponentChildren]

/** Labels and values. Those without a value are left out. */
export const Facts = ({ facts }: { readonly facts: readonly Fact[] }) => (
  <dl class="facts">
    {facts.map(
      ([label, value], n) =>
        value !== null &&
        value !== undefined &&
        value !== false && (
          <div key={n}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ),
    )}
  </dl>
)

/** The record as the API answers it. */
export const RecordJson = ({ record }: { readonly record: { readonly id: string } }) => {
  const { record: texts } = useTexts()
  const text = JSON.stringify(record, null, 2)
  const opsAddress = useOpsAddress(record.id)
  return (
    <Section title={texts.json} aside={opsAddress && <a href={opsAddress}>{texts.ops}</a>}>
      <details class="json">
        <summary>{texts.show}</summary>
        <CodeBlock text={text} label={texts.json} />
        <CopyButton value={text} what={texts.json}>
          {texts.copy}
        </CopyButton>
      </details>
    </Section>
  )
}

/** The state machine of the record, for operators. An event has none: its ID has no prefix. */
const useOpsAddress = (id: string): string | undefined =>
  useShop().account.user.operator && id.includes('_') ? `/ops/actors/${id}` : undefined
