/** Texts of a page whose colour is too near to that of their ground, by WCAG AA. The page runs it, as a text. */
;(() => {
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true })
  const rgbOf = color => {
    if (!canvas) return []
    canvas.clearRect(0, 0, 1, 1)
    canvas.fillStyle = color
    canvas.fillRect(0, 0, 1, 1)
    return [...canvas.getImageData(0, 0, 1, 1).data]
  }
  const lightOf = rgb => {
    const [r = 0, g = 0, b = 0] = rgb.map(value => {
      const part = value / 255
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
    })
    return 0.2126 * r + 0.7152 * g + 0.0722 * b
  }
  const groundOf = element => {
    if (!element) return rgbOf('white')
    const rgb = rgbOf(getComputedStyle(element).backgroundColor)
    return rgb[3] === 255 ? rgb : groundOf(element.parentElement)
  }
  const hasText = element => [...element.childNodes].some(node => node.nodeType === 3 && node.nodeValue?.trim())
  return [...document.body.querySelectorAll('*')].filter(hasText).flatMap(element => {
    const [text, ground] = [lightOf(rgbOf(getComputedStyle(element).color)), lightOf(groundOf(element))]
    const contrast = (Math.max(text, ground) + 0.05) / (Math.min(text, ground) + 0.05)
    return contrast < 4.5 ? [`${contrast.toFixed(2)} ${element.textContent?.slice(0, 40)}`] : []
  })
})()
