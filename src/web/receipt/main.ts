// The receipt is complete without this module: browsers can print without it.
document.addEventListener('click', event => {
  if (event.target instanceof Element && event.target.closest('[data-print]')) print()
})
