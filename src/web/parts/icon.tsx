/** On a grid of 20, with a stroke of 1.5 and round ends. */
const icons = {
  alert: 'M10 3.25 17.5 16.5h-15zM10 8.25V12M10 14.1h.01',
  check: 'm4.5 10.5 3.75 3.75L15.5 6.5',
  close: 'm5.5 5.5 9 9m0-9-9 9',
  copy: 'M9 7h5.5a2 2 0 0 1 2 2v5.5a2 2 0 0 1-2 2H9a2 2 0 0 1-2-2V9a2 2 0 0 1 2-2zM13 7V5.5a2 2 0 0 0-2-2H5.5a2 2 0 0 0-2 2V11a2 2 0 0 0 2 2H7',
  dispute: 'M4.5 17.5v-14M4.5 4.5h10.5l-2.5 3.5 2.5 3.5H4.5',
  down: 'm6 8 4 4 4-4',
  download: 'M10 3.5v9M6.5 9l3.5 3.5L13.5 9M4 16.5h12',
  eye: 'M2.5 10S5 5 10 5s7.5 5 7.5 5-2.5 5-7.5 5-7.5-5-7.5-5zM10 8a2 2 0 1 0 0 4 2 2 0 0 0 0-4z',
  hook: 'M5 11.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5zM15 11.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5zM10 2.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5zM8.7 7.2 6.2 11.8M11.3 7.2l2.5 4.6M7.5 14h5',
  info: 'M10 2.75a7.25 7.25 0 1 0 0 14.5 7.25 7.25 0 0 0 0-14.5zM10 9.25v4.25M10 6.6h.01',
  key: 'M6.5 10.5a3 3 0 1 0 0 6 3 3 0 0 0 0-6zM8.7 11.3 16 4M13.5 6.5 16 9M11 9l1.5 1.5',
  left: 'm12 6-4 4 4 4',
  link: 'M8.5 11.5a3 3 0 0 0 4.3 0l2.6-2.6a3 3 0 0 0-4.3-4.3l-1 1M11.5 8.5a3 3 0 0 0-4.3 0l-2.6 2.6a3 3 0 0 0 4.3 4.3l1-1',
  menu: 'M3.5 6h13M3.5 10h13M3.5 14h13',
  more: 'M4.25 10a.75.75 0 1 0 1.5 0 .75.75 0 1 0-1.5 0M9.25 10a.75.75 0 1 0 1.5 0 .75.75 0 1 0-1.5 0M14.25 10a.75.75 0 1 0 1.5 0 .75.75 0 1 0-1.5 0',
  offline:
    'M3 3l14 14M5 9.5a7.5 7.5 0 0 1 3-1.7M2.5 6.8A11 11 0 0 1 6.2 4.7M9.5 4a11 11 0 0 1 8 2.8M12.3 8.1A7.5 7.5 0 0 1 15 9.5M7.6 12.4a3.5 3.5 0 0 1 3.4-.8M10 15.3h.01',
  open: 'M8 4.5H4.5v11h11V12M11.5 4.5h4v4M15.5 4.5 9 11',
  payments: 'M4.5 4.5h11a2 2 0 0 1 2 2v7a2 2 0 0 1-2 2h-11a2 2 0 0 1-2-2v-7a2 2 0 0 1 2-2zM2.5 8.5h15M5.5 12.5h3',
  plus: 'M10 4.5v11M4.5 10h11',
  reference: 'M4.5 3.5h8l3 3v10h-11zM7 8h6M7 11h6M7 14h4',
  refund: 'M3.5 7.5H12a4.25 4.25 0 0 1 0 8.5H7M6.5 4 3 7.5 6.5 11',
  right: 'm8 6 4 4-4 4',
  search: 'M9 4a5 5 0 1 0 0 10A5 5 0 0 0 9 4zm4 9 3.5 3.5',
  settings: 'M3.5 6H10M14 6h2.5M3.5 14H6M10 14h6.5M12 4a2 2 0 1 0 0 4 2 2 0 0 0 0-4zM8 12a2 2 0 1 0 0 4 2 2 0 0 0 0-4z',
  shop: 'M7 3h6l3 7.5H4zM10 10.5V17M7 17h6',
  team: 'M7.5 4.25a2.75 2.75 0 1 0 0 5.5 2.75 2.75 0 0 0 0-5.5zM2.5 16c.4-2.7 2.3-4 5-4s4.6 1.3 5 4M13 4.5a2.75 2.75 0 0 1 0 5M14.5 12.3c1.7.5 2.7 1.7 3 3.7',
  updown: 'm7 8 3-3 3 3M7 12l3 3 3-3',
} as const

export type IconName = keyof typeof icons

/** Decoration: the words beside it, or the label of its button, say the same. */
export const Icon = ({ name, small }: { readonly name: IconName; readonly small?: boolean }) => (
  <svg class={small ? 'icon icon--s' : 'icon'} viewBox="0 0 20 20" aria-hidden="true">
    <path d={icons[name]} />
  </svg>
)
