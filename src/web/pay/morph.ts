/** State of the customer, which the server does not know: what is open and what was chosen stays as it is. */
const OWN_ATTRIBUTES = ['open', 'checked', 'value']

/**
 * Changes an element into another one with as few changes as possible, so that focus, selections and open folds stay.
 * What is in an element with `data-keep` belongs to the script.
 */
export const morph = (mine: Element, its: Element): void => {
  for (const { name } of [...mine.attributes])
    if (!its.hasAttribute(name) && !OWN_ATTRIBUTES.includes(name)) mine.removeAttribute(name)
  for (const { name, value } of its.attributes)
    if (mine.getAttribute(name) !== value && !OWN_ATTRIBUTES.includes(name)) mine.setAttribute(name, value)
  if (!mine.hasAttribute('data-keep')) morphChildren(mine, its)
}

const morphChildren = (mine: Element, its: Element): void => {
  let current: ChildNode | null = mine.firstChild
  for (const node of its.childNodes) {
    const match = matchFor(current, node)
    if (!match) {
      mine.insertBefore(document.importNode(node, true), current)
      continue
    }
    while (current && current !== match) current = remove(current)
    if (match instanceof Element && node instanceof Element) morph(match, node)
    else if (match.nodeValue !== node.nodeValue) match.nodeValue = node.nodeValue
    current = match.nextSibling
  }
  while (current) current = remove(current)
}

/** The next sibling of the same kind, which may stand behind some that are gone. */
const matchFor = (from: ChildNode | null, node: ChildNode): ChildNode | null => {
  for (let each = from; each; each = each.nextSibling) if (keyOf(each) === keyOf(node)) return each
  return null
}

const keyOf = (node: ChildNode): string =>
  node instanceof Element
    ? `${node.nodeName} ${node.id} ${node.getAttribute('data-testid')} ${node.className}`
    : node.nodeName

const remove = (node: ChildNode): ChildNode | null => {
  const next = node.nextSibling
  node.remove()
  return next
}
