import type { Picture } from '../../src/main/desktop/tray/drawing.ts'

/** How a picture is seen: without colour, or with one of the three kinds of cones missing. */
export type Eye = 'grey' | 'deuteranope' | 'protanope' | 'tritanope'

export const eyes: readonly Eye[] = ['grey', 'deuteranope', 'protanope', 'tritanope']

/** Red, green and blue, 0 to 255. */
export type Panel = readonly [number, number, number]

export const panels = {
  light: [240, 240, 240],
  dark: [40, 41, 44],
} as const satisfies Record<string, Panel>

type Matrix = readonly (readonly [number, number, number])[]

/**
 * For linear RGB. Machado, Oliveira and Fernandes, "A Physiologically-based Model for Simulation of
 * Color Vision Deficiency" (2009), severity 1.0.
 */
const matrices: Readonly<Record<Exclude<Eye, 'grey'>, Matrix>> = {
  deuteranope: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  protanope: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  tritanope: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
}

const linear = Array.from({ length: 256 }, (_, value) => {
  const share = value / 255
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
})

function gamma(light: number): number {
  const share = Math.min(1, Math.max(0, light))
  return share <= 0.0031308 ? share * 12.92 : 1.055 * share ** (1 / 2.4) - 0.055
}

/**
 * How light each pixel of a picture on a panel looks to an eye: 0 to 1, perceptually uniform. Hue
 * is ignored for every eye, since no state may depend on it.
 */
export function seen({ data }: Picture, panel: Panel, eye: Eye): number[] {
  const lights: number[] = []
  for (let at = 0; at < data.length; at += 4) {
    const alpha = data[at + 3]! / 255
    const mixed = [0, 1, 2].map(
      (part) => linear[Math.round(data[at + part]! * alpha + panel[part]! * (1 - alpha))]!,
    )
    const [red, green, blue] =
      eye === 'grey'
        ? mixed
        : matrices[eye].map((row) =>
            Math.min(
              1,
              Math.max(
                0,
                row.reduce((sum, share, part) => sum + share * mixed[part]!, 0),
              ),
            ),
          )
    lights.push(gamma(0.2126 * red! + 0.7152 * green! + 0.0722 * blue!))
  }
  return lights
}

/** Mean difference per pixel, 0 to 1. */
export function difference(one: readonly number[], other: readonly number[]): number {
  const sum = one.reduce((total, light, at) => total + Math.abs(light - other[at]!), 0)
  return sum / one.length
}
