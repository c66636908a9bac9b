// Writes the reference of the package, docs/reference/typescript.md, from the declarations and comments in `ts`. With
// `--check` it writes nothing, and fails if the page is out of date. A public name without a comment is an error.
//
// It reads them with an older compiler than the one that builds the package, which has no API for programs.
import { readFileSync, writeFileSync } from "node:fs";
import { basename, join, relative } from "node:path";
import ts from "typescript6";

const SOURCES = join(import.meta.dirname, "ts");
const PAGE = join(import.meta.dirname, "../../docs/reference/typescript.md");

/** Where names are told that all main entries export: the headings, and the files of `ts/core` that have them. */
const SHARED = {
  Options: ["options", "text"],
  Results: ["outcome", "safely"],
  Streams: ["partial", "pass", "reader", "stream", "transforms"],
  Reports: ["report"],
  Errors: ["errors"],
};

const INTRODUCTION = `\
<!-- Written by \`.ci/node --reference\` from bindings/node/ts. -->

# The TypeScript package

All that the npm package exports, with its types and documentation, from the sources; editors show the same. The guide
starts at [TypeScript](../guide/typescript/start.md).

Each entry of the package has names of its own: \`import { parse } from "llmend/schema"\`. An option with a question mark may
be left out; one with an unknown name or value is an [\`OptionError\`](#optionerror). A number that limits something is a
whole one from 0 to 4,294,967,295. Places in a text are offsets for \`String.prototype.slice\`, which count UTF-16 units, and
places in a value are JSON Pointers, such as \`/stops/0/at\`.`;

const { entries, program } = loaded();
const checker = program.getTypeChecker();
/** Each public name, as the compiler has it, and the entries that export it. */
const exporters = exported();
const sections = outline();
const names = sections.flatMap((section) => section.names);
const known = new Map(names.map((name) => [name.symbol, name]));
setAddresses();

/** Types of the package that are on the page and that no entry exports. */
const inner = new Set();
const undocumented = [];
const page = `${[INTRODUCTION, index(), ...sections.flatMap(sectionParts), ...innerParts()].filter(Boolean).join("\n\n")}\n`;

if (undocumented.length > 0) fail(`without a comment: ${undocumented.join(", ")}`);
if (!process.argv.includes("--check")) writeFileSync(PAGE, page);
else if (readFileSync(PAGE, "utf8") !== page) fail("docs/reference/typescript.md is out of date; run `.ci/node --reference`");

function fail(message) {
  console.error(`reference: ${message}`);
  process.exit(1);
}

/** Returns the entries that package.json exports, and a program of them. */
function loaded() {
  const { exports } = JSON.parse(readFileSync(join(import.meta.dirname, "package.json"), "utf8"));
  const files = Object.entries(exports).flatMap(([path, file]) => {
    const name = /^\.\/dist\/([\w-]+)\.js$/.exec(file)?.[1];
    return name ? [{ title: `llmend${path.slice(1)}`, file: join(SOURCES, `${name}.ts`) }] : [];
  });
  const { config } = ts.readConfigFile(join(import.meta.dirname, "tsconfig.json"), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, import.meta.dirname);
  const program = ts.createProgram(files.map(({ file }) => file), options);
  return { program, entries: files.map(({ title, file }) => ({ title, source: program.getSourceFile(file) })) };
}

function exported() {
  const found = new Map();
  for (const entry of entries) {
    for (const symbol of exportsOf(entry.source)) found.set(symbol, [...(found.get(symbol) ?? []), entry]);
  }
  return found;
}

function exportsOf(source) {
  return checker.getExportsOfModule(checker.getSymbolAtLocation(source)).map(original);
}

function original(symbol) {
  return symbol && symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
}

/** Returns the sections of the page: one for each entry, with what no earlier one exports, and those of what they share. */
function outline() {
  const shared = new Set(exportsOf(program.getSourceFile(join(SOURCES, "core/public.ts"))));
  const all = [...exporters].map(([symbol, entries]) => publicName(symbol, entries));
  const own = entries.map((entry) => {
    const exported = all.filter((name) => name.entries.includes(entry));
    const others = exported.filter(({ symbol }) => !shared.has(symbol));
    return {
      title: `\`${entry.title}\``,
      entry,
      names: sorted(others.filter((name) => name.entries[0] === entry)),
      elsewhere: others.filter((name) => name.entries[0] !== entry),
      hasShared: exported.length > others.length,
    };
  });
  const groups = Object.entries(SHARED).map(([title, files]) => {
    const names = all.filter(({ symbol, file }) => shared.has(symbol) && files.includes(file));
    return { title, names: sorted(names), entries: names[0].entries };
  });
  const told = groups.flatMap(({ names }) => names.map(({ symbol }) => symbol));
  for (const symbol of shared) if (!told.includes(symbol)) fail(`no heading of SHARED has the file of ${symbol.name}`);
  return [...own, ...groups];
}

/** Returns functions in the order of their entry, then classes and types by name. */
function sorted(names) {
  const rank = ({ kind }) => ["function", "class", "type"].indexOf(kind);
  return names.sort((one, other) => rank(one) - rank(other) || (rank(one) === 0 ? 0 : one.title < other.title ? -1 : 1));
}

function publicName(symbol, entries) {
  const [node] = symbol.declarations;
  const kind = ts.isFunctionDeclaration(node) ? "function" : ts.isClassDeclaration(node) ? "class" : "type";
  // Of overloads, the last one is for the compiler.
  const nodes = symbol.declarations.filter((one, _, { length }) => length === 1 || !one.body);
  const file = basename(node.getSourceFile().fileName, ".ts");
  const members = kind === "class" ? membersOf(node) : [...(node.members ?? [])];
  return { symbol, title: symbol.name, kind, entries, file, node, nodes, members };
}

/** Returns the public members of a class, also those of a base that is not public itself. */
function membersOf(node) {
  const inherited = bases(node).flatMap((base) => (isInner(base) ? membersOf(declarationOf(base)) : []));
  const own = node.members.flatMap((member) => {
    if (!ts.isConstructorDeclaration(member)) return [member];
    return member.parameters.filter((parameter) => ts.isParameterPropertyDeclaration(parameter, member));
  });
  return [...own.filter(isPublic), ...inherited];
}

function isPublic(member) {
  if (!member.name || !ts.isIdentifier(member.name) || member.name.text.startsWith("_")) return false;
  if (ts.getCombinedModifierFlags(member) & (ts.ModifierFlags.Private | ts.ModifierFlags.Protected)) return false;
  // The name that an error has says nothing more than its class.
  return !comment(member).isHidden && !(member.name.text === "name" && member.initializer);
}

/** Returns what a class or an interface extends or implements. */
function bases(node) {
  return (node.heritageClauses ?? []).flatMap((clause) => [...clause.types]);
}

function declarationOf(base) {
  return original(checker.getSymbolAtLocation(base.expression))?.declarations?.[0];
}

/** Returns whether a base is of the package, and no entry exports it. */
function isInner(base) {
  const node = declarationOf(base);
  return node !== undefined && isOurs(node) && !exporters.has(original(checker.getSymbolAtLocation(base.expression)));
}

function isOurs(node) {
  return !relative(SOURCES, node.getSourceFile().fileName).startsWith("..");
}

/** Gives each heading the address that mdBook and GitHub give it: a second one with the same words gets a number. */
function setAddresses() {
  const counts = new Map();
  const address = (title) => {
    const plain = title.toLowerCase().replace(/[^\w\s-]/g, "").replace(/\s/g, "-");
    const count = counts.get(plain) ?? 0;
    counts.set(plain, count + 1);
    return `#${plain}${count > 0 ? `-${count}` : ""}`;
  };
  for (const section of sections) {
    section.address = address(section.title);
    for (const name of section.names) {
      name.address = address(name.title);
      for (const method of methods(name)) address(`${name.title}.${method.name.text}`);
    }
  }
}

function methods(name) {
  return name.members.filter(ts.isMethodDeclaration);
}

/** Returns the table of all names. */
function index() {
  const rows = sections.map(({ title, address, names }) => {
    const [used, types] = [names.filter(({ kind }) => kind !== "type"), names.filter(({ kind }) => kind === "type")];
    return `| [${title}](${address}) | ${used.map(link).join(", ")} | ${types.map(link).join(", ")} |`;
  });
  return ["| | functions and classes | types |", "|---|---|---|", ...rows].join("\n");
}

function link({ title, address }) {
  return `[\`${title}\`](${address})`;
}

function list(words) {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}

function sectionParts({ title, entry, entries, elsewhere, hasShared, names }) {
  const own = names.flatMap(nameParts);
  if (!entry) return [`## ${title}`, `Exported by ${list(entries.map(({ title }) => `\`${title}\``))}.`, ...own];
  const shared = sections.filter((section) => !section.entry).map(({ title, address }) => `[${title}](${address})`);
  const also = [...elsewhere.map(link), ...(hasShared ? [`everything under ${list(shared)}`] : [])];
  const told = comment(entry.source.statements[0], { title: "", members: [], entries: [entry] }).text;
  return [`## ${title}`, told, also.length > 0 ? `It also exports ${list(also)}.` : "", ...own];
}

/** Returns the heading of a name, its declaration, its documentation, and its members. */
function nameParts(name) {
  const { node, nodes, title } = name;
  // A member that takes several lines is told by its own comments.
  const isLong = ({ type }) => ts.isInterfaceDeclaration(node) && type?.getText().includes("\n");
  const isWhole = ts.isTypeAliasDeclaration(node) || name.members.some(isLong);
  const fields = isWhole ? [] : name.members.filter((member) => !ts.isMethodDeclaration(member));
  const told = documentation(node, title, name);
  const rows = fields.map((member) => field(member, name));
  return [
    `### \`${title}\``,
    fenced(isWhole ? whole(node) : nodes.flatMap(declared).join("\n")),
    told,
    rows.join("\n"),
    mentioned(isWhole ? [node] : [...nodes, ...fields], name, [told, ...rows].join("\n")),
    ...methods(name).flatMap((method) => {
      const called = `${title}.${method.name.text}`;
      return [`#### \`${called}\``, fenced(declared(method)[0]), documentation(method, called, name)];
    }),
  ];
}

/** Returns the lines that declare a name, as its users see it. */
function declared(node) {
  const head = `${node.name.text}${node.typeParameters ? `<${node.typeParameters.map(line).join(", ")}>` : ""}`;
  if (ts.isFunctionDeclaration(node)) return [call(`function ${head}`, node, `: ${line(node.type)}`)];
  if (ts.isMethodDeclaration(node)) return [call(head, node, `: ${line(node.type)}`)];
  const clauses = (node.heritageClauses ?? []).map((clause) => {
    const shown = clause.types.filter((base) => !isInner(base)).map(line).join(", ");
    return shown && ` ${ts.tokenToString(clause.token)} ${shown}`;
  });
  if (ts.isInterfaceDeclaration(node)) return [`interface ${head}${clauses.join("")}`];
  const maker = node.members.find(ts.isConstructorDeclaration);
  // What only the package makes has no constructor for others.
  const isOpen = maker && !comment(maker).isHidden && maker.parameters.flatMap(typesIn).every((type) => exporters.has(type));
  return [`class ${head}${clauses.join("")}`, ...(isOpen ? [call(`new ${node.name.text}`, maker, "")] : [])];
}

/** Returns a signature, on several lines if it is long. */
function call(name, { parameters }, type) {
  const made = parameters.map((one) => `${one.name.getText()}${one.questionToken ? "?" : ""}: ${line(one.type)}`);
  const short = `${name}(${made.join(", ")})${type}`;
  return short.length <= 80 ? short : `${name}(\n${made.map((one) => `  ${one},\n`).join("")})${type}`;
}

/** Returns the code of a node in one line. */
function line(node) {
  return node.getText().replace(/\s*\n\s*/g, " ");
}

/** Returns a declaration as it is written. */
function whole(node) {
  return node.getText().replace(/^export /, "");
}

/** Returns the row of a member. */
function field(member, name) {
  const title = member.name.getText();
  const told = documentation(member, `${name.title}.${title}`, name).replace(/\n(?=.)/g, "\n  ");
  return `- \`${title}${member.questionToken ? "?" : ""}${typeOf(member, name)}\`: ${told}`;
}

function typeOf(member, name) {
  if (ts.isMethodSignature(member)) return call("", member, `: ${line(member.type)}`);
  if (member.type && (member.parent === name.node || member.parent.parent === name.node)) return `: ${line(member.type)}`;
  // A base has parameters of its own.
  const property = checker.getDeclaredTypeOfSymbol(name.symbol).getProperty(member.name.text);
  return `: ${checker.typeToString(checker.getTypeOfSymbol(property))}`;
}

/** Returns links to the types of a declaration, but for those that its documentation has. */
function mentioned(nodes, name, told) {
  const head = (node) => [...(node.typeParameters ?? []), ...bases(node).filter((base) => !isInner(base))];
  const types = new Set(nodes.flatMap((node) => (ts.isClassDeclaration(node) ? head(node) : [node])).flatMap(typesIn));
  for (const type of types) if (!known.has(type)) inner.add(type);
  const links = [...types].flatMap((type) => (type !== name.symbol && known.has(type) ? [link(known.get(type))] : []));
  const others = links.filter((link) => !told.includes(link));
  return others.length > 0 ? `Types: ${others.join(", ")}` : "";
}

/** Returns the types of the package that the code of a node mentions. */
function typesIn(node) {
  if (ts.isBlock(node)) return [];
  if (ts.isIdentifier(node)) {
    const symbol = original(checker.getSymbolAtLocation(node));
    const isType = symbol && symbol.flags & (ts.SymbolFlags.Interface | ts.SymbolFlags.TypeAlias | ts.SymbolFlags.Class);
    const [declared] = (isType && symbol.declarations) || [];
    return declared && isOurs(declared) && declared.name !== node ? [symbol] : [];
  }
  const found = [];
  ts.forEachChild(node, (child) => void found.push(...typesIn(child)));
  return found;
}

/** Returns the section of types that no entry exports. */
function innerParts() {
  // A set is gone over with what is added on the way.
  for (const { declarations } of inner) for (const type of typesIn(declarations[0])) if (!known.has(type)) inner.add(type);
  const types = [...inner].sort((one, other) => (one.name < other.name ? -1 : 1));
  const parts = types.flatMap(({ name, declarations: [node] }) => [fenced(whole(node)), documentation(node, name)]);
  return ["## Types in signatures", "No entry exports these.", ...parts];
}

/** Returns the documentation of a name, which has to have some. */
function documentation(node, title, name) {
  const { text } = comment(node, name);
  if (text === "") undocumented.push(title);
  return text;
}

/** Returns the comment on a node as Markdown, and whether it hides the node. */
function comment(node, name) {
  const parts = [];
  let isHidden = false;
  const textOf = ({ comment }) => linked((ts.getTextOfJSDocComment(comment) ?? "").trim(), name);
  for (const found of ts.getJSDocCommentsAndTags(node).filter(ts.isJSDoc)) {
    parts.push(textOf(found));
    for (const tag of found.tags ?? []) {
      switch (tag.tagName.text) {
        case "default":
          parts[0] += ` Default: ${textOf(tag).replace(/^(?:\d+|true|false)\b|"[^"]*"/g, "`$&`")}.`;
          break;
        case "example":
          parts.push(fenced(ts.getTextOfJSDocComment(tag.comment).trim()));
          break;
        case "param":
          parts.push(`- \`${tag.name.getText()}\`: ${textOf(tag)}`);
          break;
        case "hidden":
        case "internal":
          isHidden = true;
          break;
        case "module":
          break;
        default:
          fail(`${node.getSourceFile().fileName}: unknown tag @${tag.tagName.text}`);
      }
    }
  }
  return { text: parts.filter(Boolean).join("\n\n"), isHidden };
}

/** Returns a text with links to the pages, entries and names in it, where it is clear which one is meant. */
function linked(text, name) {
  if (!name) return text;
  const own = [name.title, ...name.members.map((member) => member.name?.getText())];
  return text.replace(/`docs\/reference\/(\w+)\.md`/g, "[$1]($1.md)").replace(/`([\w/]+)`/g, (code, word) => {
    const section = sections.find(({ title }) => title === code);
    if (section) return section.entry === name.entries[0] ? code : `[${code}](${section.address})`;
    const found = own.includes(word) ? [] : names.filter(({ title }) => title === word);
    const meant = found.find(({ entries }) => entries[0] === name.entries[0]) ?? (found.length === 1 ? found[0] : undefined);
    return meant ? link(meant) : code;
  });
}

function fenced(code) {
  return `\`\`\`ts\n${code}\n\`\`\``;
}
