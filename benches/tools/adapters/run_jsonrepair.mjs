import { require, serve } from './protocol.mjs'

const { jsonrepair } = require('jsonrepair')

serve({ repair: ({ text }) => ({ text: jsonrepair(text) }) })
