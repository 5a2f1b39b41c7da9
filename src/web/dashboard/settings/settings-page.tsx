import type { Settings } from '../../api/calls.ts'
import { SkeletonRows } from '../../parts/skeleton.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { useAddressQuery } from '../shell/filters.tsx'
import { OwnersNote } from '../shell/owners-note.tsx'
import { PageHead } from '../shell/page-head.tsx'
import { useShopQuery } from '../shell/queries.ts'
import { Result } from '../shell/result.tsx'
import { BillingSettingsPart } from './billing-settings.tsx'
import { PaymentSettings } from './payment-settings.tsx'
import { ReceivingSettings } from './receiving-settings.tsx'
import { ShopSettings } from './shop-settings.tsx'
import { useSettingsTexts } from './texts.ts'

const parts = ['shop', 'receiving', 'payments', 'billing'] as const
type Part = (typeof parts)[number]

/** The settings of the shop, for this mode. Which part of them is seen is in the address. */
export const SettingsPage = () => {
  const texts = useSettingsTexts()
  const { get, filter } = useAddressQuery()
  const part = parts.find(each => each === get('part')) ?? 'shop'
  const result = useShopQuery(['settings'], ({ call, ...scope }, signal) =>
    call('getSettings', scope, { signal }),
  ).value
  return (
    <>
      <PageHead title={texts.title} />
      <OwnersNote of={part === 'receiving' || part === 'billing' ? 'owners' : 'writers'} />
      <Tabs
        label={texts.tabList}
        tabs={parts.map(key => ({ key, label: texts.tabs[key] }))}
        selected={part}
        onSelect={key => filter({ part: key === 'shop' ? undefined : key })}
      >
        {part === 'billing' ? (
          <BillingSettingsPart />
        ) : (
          <Result result={result} skeleton={<SkeletonRows rows={6} />}>
            {settings => <PartOf part={part} settings={settings} />}
          </Result>
        )}
      </Tabs>
    </>
  )
}

const PartOf = ({ part, settings }: { readonly part: Part; readonly settings: Settings }) => {
  if (part === 'receiving') return <ReceivingSettings settings={settings} />
  return part === 'payments' ? <PaymentSettings settings={settings} /> : <ShopSettings settings={settings} />
}
