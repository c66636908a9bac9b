"""LangGraph: an agent of LangChain's that goes on until its model calls no tool any more, whole and as a stream."""

from langchain.agents import create_agent
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI
from scenarios import KEY, PROMPT, run_loops

ASK = {"messages": [("user", PROMPT)]}
# A turn is two steps of the graph.
LIMIT = {"recursion_limit": 60}


def agent(url, model, record, **more):
    chat = ChatOpenAI(base_url=f"{url}/v1", api_key=KEY, model=model, max_retries=0, **more)
    return create_agent(chat, [tool(record)])


def loop(url, model, record):
    return agent(url, model, record).invoke(ASK, LIMIT)["messages"][-1].text


def loop_stream(url, model, record):
    last = None
    streaming = agent(url, model, record, streaming=True)
    for last in streaming.stream(ASK, LIMIT, stream_mode="values"):
        pass
    return last["messages"][-1].text


run_loops("langgraph-agent", {"invoke": loop, "stream": loop_stream})
