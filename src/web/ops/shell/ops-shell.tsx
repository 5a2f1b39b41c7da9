import type { ComponentChildren } from 'preact'
import { useLocation } from 'preact-iso'
import { AccountMenu, useAccountItems } from '../../dashboard/shell/account-menu.tsx'
import { OfflineBar } from '../../dashboard/shell/offline-bar.tsx'
import type { Preferences } from '../../dashboard/shell/preferences.ts'
import { Icon, type IconName } from '../../parts/icon.tsx'
import { Menu, type MenuItem } from '../../parts/menu.tsx'
import { ActorSearch } from './actor-search.tsx'
import { useOps } from './ops.ts'
import { useOpsTexts } from './texts.ts'

type OpsShellProps = { readonly preferences: Preferences; readonly children: ComponentChildren }

/** What stands around every page for operators. */
export const OpsShell = ({ preferences, children }: OpsShellProps) => {
  const texts = useOpsTexts()
  const { account, session } = useOps()
  const items = useAccountItems(session, preferences)
  return (
    <div class="shell">
      <a class="skip" href="#main">
        {texts.skip}
      </a>
      <aside class="side" aria-label={texts.title}>
        <div class="shop">
          <Mark />
          <span class="shop__name">
            <b class="clip">{texts.title}</b>
            <span class="clip">{location.host}</span>
          </span>
        </div>
        <Navigation />
      </aside>
      <header class="top">
        <span class="top__shop">
          <Mark />
          <span class="clip">{texts.title}</span>
        </span>
        <ActorSearch />
        <div class="top__end">
          <AccountMenu email={account.user.email} items={items} />
        </div>
      </header>
      <main class="main" id="main" tabIndex={-1}>
        <OfflineBar />
        <div class="content">{children}</div>
      </main>
      <BottomBar preferences={preferences} />
    </div>
  )
}

const Mark = () => (
  <span class="shop-mark">
    <Icon name="machine" />
  </span>
)

type Place = { readonly path: string; readonly icon: IconName; readonly name: string }

const usePlaces = () => {
  const { nav } = useOpsTexts()
  return {
    first: [
      { path: '/ops', icon: 'health', name: nav.health },
      { path: '/ops/machines', icon: 'machine', name: nav.machines },
      { path: '/ops/tail', icon: 'list', name: nav.tail },
      { path: '/ops/stuck', icon: 'alert', name: nav.stuck },
    ],
    engine: [
      { path: '/ops/chains', icon: 'chain', name: nav.chains },
      { path: '/ops/queues', icon: 'queue', name: nav.queues },
      { path: '/ops/workers', icon: 'server', name: nav.workers },
      { path: '/ops/audits', icon: 'audit', name: nav.audits },
    ],
  } satisfies Readonly<Record<string, readonly Place[]>>
}

const Navigation = () => {
  const { nav } = useOpsTexts()
  const { first, engine } = usePlaces()
  return (
    <nav class="nav" aria-label={nav.main}>
      {first.map(each => (
        <PlaceLink key={each.path} {...each} />
      ))}
      <h2>{nav.engine}</h2>
      {engine.map(each => (
        <PlaceLink key={each.path} {...each} />
      ))}
      <a class="nav__last" href="/dashboard">
        <Icon name="left" />
        {nav.back}
      </a>
    </nav>
  )
}

const PlaceLink = ({ path, icon, name }: Place) => {
  const { path: shown } = useLocation()
  const isOpen = shown === path || (path !== '/ops' && shown.startsWith(`${path}/`))
  return (
    <a href={path} aria-current={isOpen ? 'page' : undefined}>
      <Icon name={icon} />
      {name}
    </a>
  )
}

/** Instead of the sidebar in narrow windows. */
const BottomBar = ({ preferences }: { readonly preferences: Preferences }) => {
  const { nav } = useOpsTexts()
  const { route } = useLocation()
  const { session } = useOps()
  const { first, engine } = usePlaces()
  const items: readonly MenuItem[] = [
    ...engine.map(({ name, path }) => ({ label: name, onSelect: () => route(path) })),
    { label: nav.back, onSelect: () => location.assign('/dashboard') },
    ...useAccountItems(session, preferences),
  ]
  return (
    <nav class="bottom" aria-label={nav.short}>
      {first.map(each => (
        <PlaceLink key={each.path} {...each} />
      ))}
      <Menu class="bottom__more" items={items}>
        <Icon name="menu" />
        {nav.more}
      </Menu>
    </nav>
  )
}
