import type { ComponentChildren } from 'preact'
import { useLayoutEffect } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { Icon } from '../parts/icon.tsx'
import { Menu, type MenuItem } from '../parts/menu.tsx'
import { FinderButtons, useFinder } from './finder.tsx'
import { AccountMenu, useAccountItems } from './shell/account-menu.tsx'
import { type Destination, destinationOf, useDestinations } from './shell/destinations.ts'
import { useGo } from './shell/leaving.ts'
import { OfflineBar } from './shell/offline-bar.tsx'
import type { Preferences } from './shell/preferences.ts'
import { addressIn, useAddress, useScope, useShop } from './shell/shop.ts'
import { useTexts } from './shell/texts.ts'

type ShellProps = { readonly preferences: Preferences; readonly children: ComponentChildren }

/** What stands around every page of a shop. */
export const Shell = ({ preferences, children }: ShellProps) => {
  const texts = useTexts()
  const { account, merchant, livemode } = useShop()
  const items = useOwnAccountItems(preferences)
  const finder = useFinder(preferences)
  // Before the page is drawn: the stripe of test mode is above everything else.
  useLayoutEffect(() => {
    document.body.dataset.mode = livemode ? 'live' : 'test'
    return () => {
      delete document.body.dataset.mode
    }
  }, [livemode])
  return (
    <div class="shell">
      <a class="skip" href="#main">
        {texts.skip}
      </a>
      <aside class="side" aria-label={texts.nav.shop}>
        <ShopSwitch />
        <Navigation />
      </aside>
      <header class="top">
        <span class="top__shop">
          <ShopMark />
          <span class="clip">{merchant.name}</span>
        </span>
        {!livemode && (
          <p class="test-pill">
            <Icon name="info" small />
            {texts.mode.note}
          </p>
        )}
        <FinderButtons onOpen={finder.open} />
        <div class="top__end">
          <ModeSwitch />
          <AccountMenu email={account.user.email} items={items} />
        </div>
      </header>
      <main class="main" id="main" tabIndex={-1}>
        <OfflineBar />
        <div class="content">{children}</div>
      </main>
      <BottomBar preferences={preferences} />
      {finder.overlay}
    </div>
  )
}

const ShopMark = () => (
  <span class="shop-mark">
    <Icon name="shop" />
  </span>
)

/** The shop, and a menu of the others if there are any. */
const ShopSwitch = () => {
  const texts = useTexts()
  const go = useGo()
  const { account, merchant, livemode } = useShop()
  const content = (
    <>
      <ShopMark />
      <span class="shop__name">
        <b class="clip">{merchant.name}</b> <span>{texts.roles[merchant.role]}</span>
      </span>
    </>
  )
  if (account.merchants.length < 2) return <div class="shop">{content}</div>
  const items = account.merchants.map(({ id, name }) => ({
    label: name,
    onSelect: () => go(addressIn({ merchantId: id, livemode }, 'home')),
  }))
  return (
    <Menu label={`${texts.nav.changeShop}: ${merchant.name} ${texts.roles[merchant.role]}`} class="shop" items={items}>
      {content}
      <Icon name="updown" small />
    </Menu>
  )
}

const Navigation = () => {
  const { nav } = useTexts()
  const { shop, billing, developers, management } = useDestinations()
  return (
    <nav class="nav" aria-label={nav.main}>
      {shop.map(each => (
        <SectionLink key={each.section} {...each} />
      ))}
      <h2>{nav.billing}</h2>
      {billing.map(each => (
        <SectionLink key={each.section} {...each} />
      ))}
      <h2>{nav.developers}</h2>
      {developers.map(each => (
        <SectionLink key={each.section} {...each} />
      ))}
      <a href="/docs">
        <Icon name="reference" />
        {nav.reference}
      </a>
      <h2>{nav.shop}</h2>
      {management.map(each => (
        <SectionLink key={each.section} {...each} />
      ))}
    </nav>
  )
}

const SectionLink = ({ section, icon, name }: Destination) => {
  const address = useAddress()(section)
  const { path } = useLocation()
  const isOpen = destinationOf(path) === section
  return (
    <a href={address} aria-current={isOpen ? (path === address ? 'page' : 'true') : undefined}>
      <Icon name={icon} />
      {name}
    </a>
  )
}

/** The same section in the other mode: records exist in one of them only. */
const ModeSwitch = () => {
  const { mode } = useTexts()
  const { merchantId, livemode } = useScope()
  const { path } = useLocation()
  const section = destinationOf(path)
  const link = (live: boolean, name: string) => (
    <a href={addressIn({ merchantId, livemode: live }, section)} aria-current={live === livemode ? 'true' : undefined}>
      {name}
    </a>
  )
  return (
    <nav class="mode" aria-label={mode.label}>
      {link(false, mode.test)}
      {link(true, mode.live)}
    </nav>
  )
}

const useOwnAccountItems = (preferences: Preferences): readonly MenuItem[] => {
  const { account: texts } = useTexts()
  const { session, account } = useShop()
  const address = useAddress()
  const go = useGo()
  return useAccountItems(session, preferences, [
    { label: texts.own, startsGroup: true, onSelect: () => go(address('account')) },
    ...(account.user.operator ? [{ label: texts.operations, onSelect: () => location.assign('/ops') }] : []),
  ])
}

/** So many destinations of the shop are in the bottom bar. The others are in its menu. */
const IN_BAR = 4

/** Instead of the sidebar in narrow windows. */
const BottomBar = ({ preferences }: { readonly preferences: Preferences }) => {
  const { nav } = useTexts()
  const go = useGo()
  const address = useAddress()
  const { shop, billing, developers, management } = useDestinations()
  const items: readonly MenuItem[] = [
    ...[...shop.slice(IN_BAR), ...billing, ...developers].map(({ section, name }) => ({
      ...{ label: name, onSelect: () => go(address(section)) },
    })),
    { label: nav.reference, onSelect: () => location.assign('/docs') },
    ...management.map(({ section, name }) => ({ label: name, onSelect: () => go(address(section)) })),
    ...useOwnAccountItems(preferences),
  ]
  return (
    <nav class="bottom" aria-label={nav.short}>
      {shop.slice(0, IN_BAR).map(({ section, icon, name }) => (
        <SectionLink key={section} section={section} icon={icon} name={section === 'links' ? nav.linksShort : name} />
      ))}
      <Menu class="bottom__more" items={items}>
        <Icon name="menu" />
        {nav.more}
      </Menu>
    </nav>
  )
}
