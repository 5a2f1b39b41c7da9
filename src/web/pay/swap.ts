import { morph } from './morph.ts'

type Policies = {
  createPolicy(name: string, rules: { createHTML(text: string): string }): { createHTML(text: string): string }
}

/** Not in every browser, nor in the types of the DOM. */
const { trustedTypes } = globalThis as { trustedTypes?: Policies }

/** Only what was fetched from the address of the page becomes HTML. Everything else the browser refuses. */
let fetched: string | undefined
const policy = trustedTypes?.createPolicy('markup', {
  createHTML: text => {
    if (text !== fetched) throw new TypeError('This text was not fetched from the address of the page')
    return text
  },
})

/** The page at its own address, as the server renders it now. Undefined if the response is another page. */
export const readPage = async (response: Response): Promise<Document | undefined> => {
  const { origin, pathname } = new URL(response.url)
  const isOwn = origin === location.origin && pathname === location.pathname
  const isPage = response.headers.get('content-type')?.startsWith('text/html')
  if (!isOwn || !isPage) return undefined
  const text = await response.text()
  fetched = text
  try {
    return new DOMParser().parseFromString(policy ? policy.createHTML(text) : text, 'text/html')
  } finally {
    fetched = undefined
  }
}

const mainOf = (of: Document) => of.getElementById('main')

/** Puts the new page in place of the old one. Within a status, focus, open folds and choices stay. True if the status is another. */
export const swap = (next: Document): boolean => {
  const [main, other] = [mainOf(document), mainOf(next)]
  if (!main || !other) return false
  document.title = next.title
  for (const name of ['now', 'stream', 'event', 'changes', 'poll']) {
    const value = next.body.dataset[name]
    if (value === undefined) delete document.body.dataset[name]
    else document.body.dataset[name] = value
  }
  const isOther = main.dataset.status !== other.dataset.status
  const hadFocus = main.contains(document.activeElement) || document.activeElement === document.body
  for (const [mine, its] of pairs(next)) morph(mine, its)
  if (!isOther) morph(main, other)
  else {
    main.dataset.status = other.dataset.status ?? ''
    main.replaceChildren(...[...other.childNodes].map(node => document.importNode(node, true)))
    if (hadFocus) main.querySelector('h1')?.focus({ preventScroll: true })
    scrollTo({ top: 0 })
  }
  return isOther
}

const pairs = (next: Document): (readonly [Element, Element])[] => {
  const [order, other] = [document.querySelector('.order'), next.querySelector('.order')]
  return order && other ? [[order, other]] : []
}
