/** Amounts of a table that is not open: its currency and unit come with its summary. */

/** @import {Money} from "./types.js" */

/**
 * Make the money of a table from its summary.
 * @param {{currency: string, unit: string}} table
 * @param {string} language
 * @returns {Money}
 */
export function createMoneyOf(table, language) {
  const [, after = ""] = table.unit.split(".");
  const unit = Number(table.unit.replace(".", "")) || 1;
  const scale = 10 ** after.length;
  const write = new Intl.NumberFormat(language, { minimumFractionDigits: 0, maximumFractionDigits: after.length });
  const both = new Intl.NumberFormat(language, {
    minimumFractionDigits: after.length,
    maximumFractionDigits: after.length,
  });

  /** @param {number} units */
  function format(units) {
    const exact = (units * unit) / scale;
    const text = Number.isInteger(exact) ? write.format(exact) : both.format(exact);
    return table.currency ? `${text}\u00a0${table.currency}` : text;
  }

  return {
    format,
    signed: (units) => (units > 0 ? `+${format(units)}` : units < 0 ? `−${format(-units)}` : format(0)),
    parse(text) {
      const plain = text.trim().replace(/[\s\u00a0\u202f']/g, "").replace(",", ".");
      if (!/^\d+(\.\d*)?$/.test(plain)) return null;
      const units = Math.round((Number(plain) * scale) / unit);
      return Math.abs((units * unit) / scale - Number(plain)) < 1e-9 && Number.isSafeInteger(units) ? units : null;
    },
  };
}
